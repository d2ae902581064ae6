# SPDX-License-Identifier: Apache-2.0
# Servers on the far host; see FarServers.swift. Prints "ready".
import os, socket, struct, subprocess, sys, threading, time
S = socket.socket
def bound(family, kind, address, port, protocol=0):
    s = S(family, kind, protocol)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    if kind == socket.SOCK_STREAM: s.listen(64)
    return s
def accept(s, serve):
    while True:
        try: c = s.accept()[0]; serve(c); c.close()
        except OSError: pass
def echo(s):
    while True:
        data, peer = s.recvfrom(2048)
        s.sendto(data, peer)
def answer(q, tcp):
    labels, i, end = [], 12, 0
    while q[i]: labels.append(q[i + 1:i + 1 + q[i]]); i += 1 + q[i]
    qtype = struct.unpack(">H", q[i + 1:i + 3])[0]
    question = q[12:i + 5]
    edns = struct.unpack(">H", q[10:12])[0]
    word = labels[0].decode().lower()
    def head(rcode=0, an=0, flags=0x8180, ident=q[:2], body=question):
        return ident + struct.pack(">HHHHH", flags | rcode, 1, an, 0, 0) + body
    def record(data=None, rtype=None, ttl=30, owner=b"\xc0\x0c"):
        data = data or (bytes([192, 0, 2, 1]) if qtype == 1 else bytes.fromhex("20010db8000000000000000000000001"))
        return owner + struct.pack(">HHIH", rtype or qtype, 1, ttl, len(data)) + data
    good = head(an=1) + record()
    if word == "nx": return [head(3)]
    if word == "empty": return [head()]
    if word == "four": return [good if qtype == 1 else head()]
    if word == "servfail": return [head(2)]
    if word == "refused": return [head(5)]
    if word == "silent": return []
    if word == "big": return [good if tcp else head(flags=0x8380)]
    if word == "garbage": return [b"\x00\x01\x02"]
    if word == "cut": return [good[:-3]]
    if word == "wrongid": return [bytes([q[0] ^ 1, q[1]]) + good[2:]]
    if word == "second": return [bytes([q[0] ^ 1, q[1]]) + good[2:], b"junk", good]
    if word.startswith("forged"): return [good] if tcp else [head(an=1, body=question.lower()) + record(data=bytes([192, 0, 2, 66]))]
    if word == "crowd": return [good] if tcp else [bytes([q[0] ^ 1, q[1]]) + good[2:]] * 99
    if word == "strangers": return [bytes([q[0] ^ 1, q[1]]) + good[2:]] * 99 + [good]
    if word == "lower": return [head(an=1, body=question.lower()) + record()]
    if word == "old": return [head(1)] if edns else [good]
    if word == "alias":
        target = b"\x02ok\x04test\x00"
        return [head(an=2) + record(target, 5, ttl=7) + record(owner=target)]
    if word == "loop": return [head(an=1) + record(b"\xc0\x0c", 5)]
    return [good] if labels[-1].lower() == b"test" else [head(3)]
def dns(s):
    while True:
        q, peer = s.recvfrom(2048)
        for a in answer(q, False): s.sendto(a, peer)
def dns_stream(c):
    q = c.recv(2048)
    if len(q) < 14: return
    for a in answer(q[2:], True):
        m = struct.pack(">H", len(a)) + a
        for b in m: c.send(bytes([b]))
    c.recv(1)
def checksum(b):
    n = sum(struct.unpack(">%dH" % (len(b) // 2), b)); n = (n & 65535) + (n >> 16); n += n >> 16
    return ~n & 65535
def icmp(kind, code, rest, payload):
    h = struct.pack(">BBH4s", kind, code, 0, rest) + payload
    return h[:2] + struct.pack(">H", checksum(h)) + h[4:]
def ping(s, address, reply):
    while True:
        p, peer = s.recvfrom(2048)
        if p[20] == 8 and socket.inet_ntoa(p[16:20]) == address:
            reply(s, p, peer, icmp(0, 0, p[24:28], p[28:]))
def twice(s, p, peer, r): s.sendto(r, peer); s.sendto(r, peer)
def late(s, p, peer, r): time.sleep(0.6); s.sendto(r, peer)
def header(s, p, peer, r): s.sendto(icmp(3, 1, bytes(4), p[:28]), peer)
def forged(s, p, peer, r): s.sendto(icmp(0, 0, p[24:28], bytes(len(p) - 28)), peer)
open("/proc/sys/net/ipv4/icmp_echo_ignore_all", "w").write("0")
jobs, silent = [], []
for family, address in ((socket.AF_INET, "10.71.2.2"), (socket.AF_INET6, "fd71:2::2")):
    jobs.append((accept, bound(family, socket.SOCK_STREAM, address, 7001), lambda c: None))
    jobs.append((echo, bound(family, socket.SOCK_DGRAM, address, 7002)))
    silent.append(bound(family, socket.SOCK_DGRAM, address, 7003))
    jobs.append((dns, bound(family, socket.SOCK_DGRAM, address, 53)))
    jobs.append((accept, bound(family, socket.SOCK_STREAM, address, 53), dns_stream))
for job in jobs: threading.Thread(target=job[0], args=job[1:], daemon=True).start()
if sys.argv[1:] == ["odd"]:
    open("/proc/sys/net/ipv4/icmp_echo_ignore_all", "w").write("1")
    for last, reply in ((3, twice), (4, late), (5, header), (6, forged)):
        a = "10.71.2.%d" % last
        subprocess.check_call(["ip", "addr", "add", a + "/24", "dev", "f0"])
        s = bound(socket.AF_INET, socket.SOCK_RAW, a, 0, socket.IPPROTO_ICMP)
        threading.Thread(target=ping, args=(s, a, reply), daemon=True).start()
print("ready", flush=True)
time.sleep(1e6)
