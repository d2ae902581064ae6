# SPDX-License-Identifier: Apache-2.0
# A server and a client that keeps an expectation or violates it; see VerdictTests.swift. Runs inside of a sandbox.
#
#   judged-client.py NAME keep|violate
import http.client, http.server, json, os, socket, subprocess, sys, threading, time
name, keeps = sys.argv[1], sys.argv[2] == "keep"
PORT = 8099

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def do_GET(self):
        if "slow" in self.path: time.sleep(1.5)
        if self.path == "/stream":
            self.send_response(200); self.send_header("Transfer-Encoding", "chunked"); self.end_headers()
            try:
                for _ in range(400):
                    self.wfile.write(b"4\r\nword\r\n"); self.wfile.flush(); time.sleep(0.05)
            except OSError: pass
            return
        if self.path == "/cut" and "Range" not in self.headers:
            self.send_response(200); self.send_header("Content-Length", "1000"); self.end_headers()
            self.wfile.write(b"x" * 500); self.close_connection = True
            return
        if self.path.startswith("/lose"):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.close_connection = True
            return
        size = int(self.path.split("=")[1]) if "=" in self.path else 5
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200); self.send_header("Content-Length", str(size)); self.end_headers()
        self.wfile.write(b"x" * size)
    do_POST = do_GET

class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    def handle_error(self, *words): pass

server = Server(("127.0.0.1", PORT), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

class Control(http.client.HTTPConnection):
    def __init__(self): super().__init__("linkcond")
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX); self.sock.connect(os.environ["LINKCOND_SOCKET"])

def control(method, path, body):
    c = Control(); c.request(method, path, body if isinstance(body, str) else json.dumps(body))
    answer = c.getresponse(); text = answer.read(); c.close()
    assert answer.status < 300, (answer.status, text)

def mark(label): control("POST", "/v1/marks", {"name": label})
def profile(what): control("PUT", "/v1/conditions", what)
def connect(timeout=5, port=PORT):
    s = socket.create_connection(("127.0.0.1", port), timeout); return s
def ask(s, path="/", method="GET", body=b"", more=""):
    s.sendall(("%s %s HTTP/1.1\r\nHost: a.test\r\nContent-Length: %d\r\n%s\r\n" % (method, path, len(body), more)).encode() + body)
    data = s.recv(65536)
    return data
def dns(count):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for n in range(count):
        s.sendto(n.to_bytes(2, "big") + bytes.fromhex("01000001000000000000") + b"\x01a\x04test\x00\x00\x01\x00\x01", ("127.0.0.1", 53))
        time.sleep(0.01)

def completes(): time.sleep(0.1 if keeps else 1.6)
def exits(): sys.exit(0 if keeps else 3)
def first_byte(): ask(connect(), "/" if keeps else "/slow")
def times_out():
    profile("Black Hole"); mark("dark")
    s = socket.socket(); s.settimeout(0.7 if keeps else 2.5)
    try: s.connect(("127.0.0.1", PORT))
    except OSError: pass
    s.close(); time.sleep(0.5 if keeps else 0)
    if keeps: time.sleep(1.5)
def times_out_midway():
    s = connect(); s.sendall(b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"); s.recv(9)
    profile("Black Hole"); mark("dark")
    s.settimeout(0.6 if keeps else 2.6)
    try:
        while s.recv(65536): pass
    except OSError: pass
    s.close()
    if keeps: time.sleep(1.8)
def times_out_sending():
    # The kernel cannot send all of it, nor FIN after it, and goes on trying when the socket is closed.
    s = connect()
    profile("Black Hole"); mark("dark")
    s.sendall(b"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 60000\r\n\r\n" + bytes(60000))
    time.sleep(0.6 if keeps else 2.6); s.close(); time.sleep(3 if keeps else 1)
def times_out_in_kernel():
    # The kernel gives it up without a packet, and the process keeps the socket.
    s = connect(); ask(s)
    if keeps: s.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 700)
    profile("Black Hole"); mark("dark")
    s.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"); time.sleep(3)
def closes():
    s = connect(); s.sendall(b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"); s.recv(9)
    mark("left")
    if keeps: s.close()
    time.sleep(1.6)
def recovers():
    profile("Black Hole"); time.sleep(0.2)
    profile('{"name": "back", "uplink": {"delay": "20 ms"}}'); mark("back")
    time.sleep(0.2 if keeps else 1.6); ask(connect())
def connections():
    first = connect(); first.sendall(b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"); first.recv(9)
    if keeps: first.close(); time.sleep(0.2)
    mark("second search"); ask(connect())
def attempts():
    for _ in range(3 if keeps else 8): connect().close()
def backs_off(factor=2.0):
    gap = 0.05
    for _ in range(7):
        try: connect(port=9)
        except OSError: pass
        time.sleep(gap)
        if keeps: gap *= factor
def loses_pump():
    # The process that carries the packets of this network, and of no other.
    own = os.stat("/proc/self/ns/net").st_ino
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/comm") as name:
                if name.read() != "lc-pump\n" or os.stat(f"/proc/{process}/ns/net").st_ino != own: continue
            os.kill(int(process), 9)
        except OSError: pass
    for _ in range(6):
        try: connect(timeout=0.1)
        except OSError: pass
def requests():
    s = connect()
    for _ in range(2 if keeps else 6): ask(s)
def queries(): dns(2 if keeps else 6)
def retransmissions():
    s = connect(timeout=60); ask(s)
    if not keeps:
        # The kernel sends it again after about 0.2, 0.6 and 1.4 s.
        profile("Black Hole"); s.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"); time.sleep(2.5)
        profile('{"name": "back", "uplink": {"delay": "20 ms"}}')
    else: s.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    s.recv(65536)
def amount():
    s = connect(); size = 1000 if keeps else 60000; count = len(ask(s, "/size=%d" % size))
    while count < size: count += len(s.recv(65536))
def leaves():
    body = "import socket,time;s=socket.create_connection(('127.0.0.1',%d));open('ready','w').close();time.sleep(30)" % PORT
    other = subprocess.Popen([sys.executable, "-c", body])
    while not os.path.exists("ready"): time.sleep(0.02)
    time.sleep(0.1)
    if keeps: other.kill(); other.wait()
def twice():
    s = connect(); ask(s, "/lose", "POST", b"order", "" if not keeps else "Idempotency-Key: 7\r\n"); s.close()
    s = connect(); ask(s, "/lose", "POST", b"order", "" if not keeps else "Idempotency-Key: 7\r\n"); s.close()
def asks_again():
    dns(1); mark("new network"); time.sleep(0.2 if keeps else 1.6); dns(1)
def keep_alives():
    s = connect(); ask(s)
    for option, value in ((socket.TCP_KEEPIDLE, 1), (socket.TCP_KEEPINTVL, 1)): s.setsockopt(socket.IPPROTO_TCP, option, value)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1 if keeps else 0)
    time.sleep(3.4)
def falls_back():
    profile('{"name": "no UDP", "faults": [{"match": {"protocol": "udp"}, "do": "lose"}]}'); dns(1); time.sleep(0.2 if keeps else 1.6)
    try: connect(port=53)
    except OSError: pass
def resumes():
    s = connect(); s.sendall(b"GET /cut HTTP/1.1\r\nHost: a.test\r\n\r\n")
    while s.recv(65536): pass
    s.close(); time.sleep(0.3)
    ask(connect(), "/cut", more="Range: bytes=500-\r\n" if keeps else "")
def uses_ipv4():
    profile("IPv6 Black Hole")
    subprocess.run(["curl", "-s", "-o", "/dev/null", "--happy-eyeballs-timeout-ms", "200" if keeps else "900",
        "--resolve", f"api.test:{PORT}:[::1],127.0.0.1", f"http://api.test:{PORT}/"], check=True)

{f.__name__: f for f in (completes, exits, first_byte, times_out, times_out_midway,
    times_out_sending, times_out_in_kernel, closes, recovers, connections, attempts,
    backs_off, requests, queries, retransmissions, amount, leaves, twice, loses_pump,
    uses_ipv4, asks_again, keep_alives, falls_back, resumes)}[name]()
