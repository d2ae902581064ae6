# SPDX-License-Identifier: Apache-2.0
# Traffic with and without ECN in both directions: shared-link.py SECONDS BUSY; see ReplayedRunTests.swift. BUSY processes
# take the machine's time meanwhile.
import os, socket, subprocess, sys, threading, time
seconds, busy = float(sys.argv[1]), int(sys.argv[2])
with open("/proc/sys/net/ipv4/tcp_ecn", "w") as setting: setting.write("1")
others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
end = time.monotonic() + seconds
block = bytes(20000)

def serve(peer):
    try:
        if peer.recv(1) == b"u":
            while peer.recv(65536): pass
        else:
            while time.monotonic() < end: peer.sendall(block)
    except OSError: pass

def accept(listener):
    while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

def upload(address):
    with socket.create_connection(address) as peer:
        peer.sendall(b"u")
        while time.monotonic() < end: peer.sendall(block)

def download(address):
    with socket.create_connection(address) as peer:
        peer.sendall(b"d")
        while time.monotonic() < end and peer.recv(65536): pass

# One short connection after the other, between the same ends.
def pages(address):
    while time.monotonic() < end:
        with socket.create_connection(address) as peer: peer.sendall(b"u" + block)
        time.sleep(0.1)

# Datagrams of one ECN field, at equal distances, each of which is answered by one of the same.
def datagrams(field, size, gap):
    near, far = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    for each in near, far: each.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, field)
    far.bind(("127.0.0.1", 0)); near.connect(far.getsockname())
    def answer():
        while True: far.sendto(*far.recvfrom(2000))
    threading.Thread(target=answer, daemon=True).start()
    while time.monotonic() < end:
        near.send(bytes(size))
        time.sleep(gap)

listener = socket.create_server(("127.0.0.1", 8000))
threading.Thread(target=accept, args=(listener,), daemon=True).start()
tasks = [(each, (listener.getsockname(),)) for each in (upload, download, pages)]
# Not-ECT, ECT(1), ECT(0)
tasks += [(datagrams, (field, 400 + 300 * field, 0.01)) for field in (0, 1, 2)]
for task, arguments in tasks: threading.Thread(target=task, args=arguments, daemon=True).start()
time.sleep(seconds + 0.5)
for each in others: each.kill()
os._exit(0)
