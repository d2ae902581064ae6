# SPDX-License-Identifier: Apache-2.0
# Talks to the metrics of process PID at 127.0.0.1:9115; prints how that went. See MetricsTests.swift.
import socket, sys, time
# Only a hang takes as many seconds.
HANG = 240
PLACE = ("127.0.0.1", 9115)
GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
def connect():
    return socket.create_connection(PLACE, HANG)
def whole(s):
    s.settimeout(HANG)
    data = b""
    try:
        while more := s.recv(65536): data += more
    except ConnectionResetError: pass
    return data
def memory(pid):
    return int([l for l in open(f"/proc/{pid}/status") if l.startswith("VmRSS")][0].split()[1]) / 1024
def pipelined(pid):
    s = connect(); s.sendall(GET); whole(s)
    before = memory(pid)
    greedy = []
    for _ in range(8):
        c = connect()
        c.setblocking(False)
        try:
            for _ in range(50): c.send(GET * 100)
        except OSError: pass
        greedy.append(c)
    time.sleep(1)
    print("grew", int(memory(pid) - before), "MB")
    s = connect(); s.sendall(GET * 3)
    print("answers", whole(s).count(b"HTTP/1.1 200"))
def crowd(pid):
    idle = [connect() for _ in range(100)]
    def isOpen(c):
        c.setblocking(False)
        try: return c.recv(1) != b""
        except BlockingIOError: return True
        except ConnectionResetError: return False
    # The crowd is closed as it comes, and what is left later, as it is idle.
    end = time.time() + HANG
    while (count := sum(map(isOpen, idle))) > 16 and time.time() < end: time.sleep(0.01)
    print("open", count)
    for c in idle: whole(c)
    print("idle ended")
    s = connect(); s.sendall(GET)
    print("answers", whole(s).count(b"HTTP/1.1 200"))
def cached(pid):
    # Each probe changes the text.
    texts, begin = [], time.monotonic()
    for _ in range(10):
        s = connect(); s.sendall(GET); texts.append(whole(s)); time.sleep(0.02)
    # One for each second that has begun, of its and of ours.
    print("few texts", len(set(texts)) <= time.monotonic() - begin + 2)
    time.sleep(1.5)
    s = connect(); s.sendall(GET)
    print("renewed", whole(s) != texts[-1])
globals()[sys.argv[1]](sys.argv[2])
