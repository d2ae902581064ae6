# SPDX-License-Identifier: Apache-2.0
# A server and a client beside a monitor; see MonitoredRunTests.swift. Runs inside of a sandbox.
#
#   monitored-client.py silent|answered|outage|counted
import http.client, json, os, socket, sys, threading, time
PORT = 8099

def serve(connection):
    with connection:
        while connection.recv(4096):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

def accept():
    while True:
        connection, _ = server.accept()
        threading.Thread(target=lambda c=connection: quietly(serve, c), daemon=True).start()

def quietly(call, *arguments):
    try: call(*arguments)
    except OSError: pass

class Control(http.client.HTTPConnection):
    def __init__(self): super().__init__("linkcond")
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX); self.sock.connect(os.environ["LINKCOND_SOCKET"])

def profile(what):
    c = Control(); c.request("PUT", "/v1/conditions", json.dumps(what)); assert c.getresponse().status < 300; c.close()

def ask(timeout=1):
    with socket.create_connection(("127.0.0.1", PORT), timeout) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"); s.recv(4096)

def ask_for(seconds, timeout=1):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        quietly(ask, timeout); time.sleep(0.2)

def silent():
    time.sleep(1); quietly(ask, 9)
def answered(): ask_for(18)
def outage():
    ask_for(7); profile("Black Hole"); ask_for(8)
def counted():
    # Long enough for a look at the sockets.
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", PORT), 5): time.sleep(0.8)

server = socket.create_server(("127.0.0.1", PORT), backlog=64)
threading.Thread(target=accept, daemon=True).start()
{f.__name__: f for f in (silent, answered, outage, counted)}[sys.argv[1]]()
