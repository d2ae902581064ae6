# SPDX-License-Identifier: Apache-2.0
# Servers on the far host that never stop sending; see HostileServers.swift. Prints "ready".
import os, socket, struct, sys, threading, time
ADDRESS = "10.71.2.66"
kind = sys.argv[1]
is_bound = threading.Event()
def stream(port, first, piece, pause=0):
    s = socket.create_server((ADDRESS, port), backlog=64)
    is_bound.set()
    def serve(c):
        try:
            c.recv(65536)
            c.sendall(first)
            while True:
                c.sendall(piece)
                if pause: time.sleep(pause)
        except OSError: pass
    while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
def dns_datagrams():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((ADDRESS, 53))
    is_bound.set()
    q, peer = s.recvfrom(2048)
    while True:
        try: s.sendto(bytes([q[0] ^ 1]) + q[1:2] + b"\x81\x80" + q[4:], peer)
        except OSError: pass
        s.setblocking(False)
        try: q, peer = s.recvfrom(2048)
        except OSError: pass
def checksum(b):
    n = sum(struct.unpack(">%dH" % (len(b) // 2), b)); n = (n & 65535) + (n >> 16); n += n >> 16
    return ~n & 65535
def echoes():
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.bind((ADDRESS, 0))
    is_bound.set()
    while True:
        p, peer = s.recvfrom(2048)
        if p[20] == 8 and p[16:20] == socket.inet_aton(ADDRESS): break
    def reply(payload):
        r = bytes(4) + p[24:28] + payload
        return r[:2] + struct.pack(">H", checksum(r)) + r[4:]
    r, foreign = reply(p[28:]), reply(bytes(len(p) - 28))
    errors = b"\x03\x01" + bytes(6) + p
    errors = errors[:2] + struct.pack(">H", checksum(errors + bytes(len(errors) & 1))) + errors[4:]
    while True:
        for m in [foreign] * 18 + [r, errors]:
            try: s.sendto(m, peer)
            except OSError: pass
stranger = b"\x00\x0c\x12\x34\x81\x80" + bytes(8)
jobs = {
    "dnsStream": lambda: stream(53, b"", stranger * 4000),
    "dnsDatagrams": dns_datagrams,
    "httpDrip": lambda: stream(80, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1;" + b"e" * 9000 + b"\r\nx\r\n"),
    "httpChunks": lambda: stream(80, b"", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 100000),
    # HelloRequest: the client is to shake hands anew (RFC 5246, section 7.4.1.1).
    "tlsRenegotiation": lambda: stream(443, b"", b"\x16\x03\x03\x00\x04\x00\x00\x00\x00" * 20000),
    "echoFlood": echoes,
}
threading.Thread(target=jobs[kind], daemon=True).start()
is_bound.wait()
print("ready", flush=True)
# The end of this process is the end of its input.
sys.stdin.read()
os._exit(0)
