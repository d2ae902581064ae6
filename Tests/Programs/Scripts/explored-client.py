# SPDX-License-Identifier: Apache-2.0
# Clients with a mistake that only a broken network shows, each with its server, and the same clients without it; see
# ExploreTests.swift and scripts/check/explore. They run inside of a sandbox.
#
#   explored-client.py stalled|storm|twice|curl|address|name buggy|mended [SERVER]
#   explored-client.py serve ADDRESS                      the server alone, outside of the sandbox
#
# All end by themselves in about two seconds, whatever the network does, and exit with 0, but for the mistake.
import errno, http.client, http.server, socket, subprocess, sys, threading, time

PORT = 8099
NAME = b"api.test"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words): pass

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "500")
        self.end_headers()
        self.wfile.write(b"x" * 500)

    do_POST = do_GET


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, *words): pass


def serve(address):
    server = Server((address, PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def serve_names():
    """Answers every query with 127.0.0.1, to be asked again next time."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def answer():
        while True:
            query, peer = server.recvfrom(2000)
            record = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01"
            server.sendto(query[:2] + b"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00" + query[12:] + record, peer)

    threading.Thread(target=answer, daemon=True).start()


def look_up(name):
    """One query, one answer, or OSError."""
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asker.settimeout(0.3)
    words = b"".join(bytes([len(word)]) + word for word in name.split(b"."))
    asker.sendto(b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + words + b"\x00\x00\x01\x00\x01", ("127.0.0.1", 53))
    answer = asker.recv(2000)
    if answer[3] & 15 or answer[6:8] == b"\x00\x00": raise OSError(errno.ENOENT, "no address")
    return socket.inet_ntoa(answer[-4:])


def ask(connection, method="GET", path="/"):
    """A request and its whole answer; the connection is closed if that fails."""
    try:
        # Without a body: http.client sends that in a segment of its own, which a reset may overtake.
        connection.request(method, path)
        answer = connection.getresponse()
        answer.read()
        return answer.status == 200
    except (OSError, http.client.HTTPException):
        connection.close()
        return False


def stalled(buggy, server):
    """Waits for ever for an answer."""
    end = time.monotonic() + 2
    for _ in range(4):
        while time.monotonic() < end:
            connection = http.client.HTTPConnection(server, PORT, timeout=0.4)
            try:
                connection.connect()
                if buggy: connection.sock.settimeout(None)
            except OSError:
                time.sleep(0.2)
                continue
            done = ask(connection)
            connection.close()
            if done: break
            time.sleep(0.2)
        time.sleep(0.1)


def storm(buggy, server):
    """Tries again at once, and again."""
    tries, end = 0, time.monotonic() + 2
    for _ in range(3):
        pause = 0.2
        while time.monotonic() < end and tries < 300:
            connection = http.client.HTTPConnection(server, PORT, timeout=0.4)
            done = ask(connection)
            connection.close()
            tries += 1
            if done: break
            if not buggy:
                time.sleep(pause)
                pause *= 2
        time.sleep(0.1)


def twice(buggy, server):
    """Sends an order again that the server may have had."""
    for number in range(3):
        for attempt in range(2):
            connection = http.client.HTTPConnection(server, PORT, timeout=0.4)
            path = "/order/%d" % number
            # Whether the server had the order is asked, and not guessed.
            done = ask(connection, "POST", path) if attempt == 0 or buggy else ask(connection, "GET", path)
            connection.close()
            if done: break
        time.sleep(0.1)


def curl(buggy, server):
    """Asks whether the server is there, and has curl send an order again after every error."""
    connection = http.client.HTTPConnection(server, PORT, timeout=0.4)
    ask(connection)
    connection.close()
    again = ["--retry", "3", "--retry-all-errors", "--retry-max-time", "2"] if buggy else []
    url = "http://%s:%d/order" % (server, PORT)
    subprocess.run(["curl", "--silent", "--output", "/dev/null", "--max-time", "1"] + again + ["-X", "POST", "-d", "x", url])


def address(buggy, server):
    """Keeps a connection whose address is gone."""
    end, connection = time.monotonic() + 3, None
    while time.monotonic() < end:
        try:
            if connection is None: connection = socket.create_connection((server, PORT), timeout=0.4)
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
            if not connection.recv(65536): raise ConnectionError("closed")
        except TimeoutError:
            if connection is not None and not buggy:
                connection.close()
                connection = None
        except OSError:
            if connection is not None: connection.close()
            connection = None
        time.sleep(0.15)


def name(buggy, server):
    """Takes a name that could not be looked up once for one that does not exist."""
    serve_names()
    failed, end = False, time.monotonic() + 2.5
    while time.monotonic() < end:
        time.sleep(0.15)
        if failed and buggy: continue
        try:
            found = look_up(NAME)
        except OSError:
            failed = True
            continue
        connection = http.client.HTTPConnection(found, PORT, timeout=0.4)
        ask(connection)
        connection.close()


if sys.argv[1] == "serve":
    serve(sys.argv[2])
    print("ready", flush=True)
    time.sleep(36000)
client, buggy = sys.argv[1], sys.argv[2] == "buggy"
server = sys.argv[3] if len(sys.argv) > 3 else None
if server is None: serve("127.0.0.1")
{"stalled": stalled, "storm": storm, "twice": twice, "curl": curl, "address": address, "name": name}[client](buggy, server or "127.0.0.1")
