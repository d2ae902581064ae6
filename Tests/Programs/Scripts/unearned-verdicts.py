# SPDX-License-Identifier: Apache-2.0
# Clients that try for a verdict which they have not earned; see UnearnedVerdictTests.swift. They run inside of a sandbox.
#
#   unearned-verdicts.py commands|cuts|switches
import glob, http.client, json, os, socket, struct, sys, threading, time

def serve():
    server = socket.create_server(("127.0.0.1", 8099), backlog=100)
    def answer(peer):
        with peer:
            while peer.recv(1000): peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    def accept():
        while True: threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()

def ask():
    with socket.create_connection(("127.0.0.1", 8099), 30) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
        peer.recv(1000)

def commands():
    """Takes the conditions off at every socket of linkcond's that the network has."""
    for line in open("/proc/net/unix").readlines()[1:]:
        name = line.split()[-1]
        if not name.startswith("@"): continue
        peer = socket.socket(socket.AF_UNIX)
        try: peer.connect("\0" + name[1:])
        except OSError: continue
        text = json.dumps({"do": "use", "tap": "lc1r1u", "profile": {"name": "x"}}).encode()
        peer.sendall(struct.pack("I", len(text)) + text)
        print(name)
    ask()

def cuts():
    """Opens more connections than it may, and takes them out of every capture that it can open."""
    for _ in range(6): ask()
    time.sleep(0.5)
    for place in glob.glob("report/*.pcapng") + glob.glob("/proc/[0-9]*/fd/*"):
        try:
            with open(place, "r+b") as file:
                head = file.read(3000)
                if head[:4] == b"\x0a\x0d\x0d\x0a":
                    end = 0
                    while end + 8 <= 2000: end += struct.unpack_from("I", head, end + 4)[0]
                    os.ftruncate(file.fileno(), end)
        except (OSError, struct.error): pass

def switches():
    """Takes the conditions off as every client may."""
    class Control(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(os.environ["LINKCOND_SOCKET"])
    control = Control("linkcond")
    control.request("PUT", "/v1/conditions", json.dumps({"name": "nothing wrong"}))
    assert control.getresponse().status == 200
    ask()

serve()
globals()[sys.argv[1]]()
