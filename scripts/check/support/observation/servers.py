# SPDX-License-Identifier: Apache-2.0
"""Servers on loopback for the clients of scripts/check/observation: HTTP, HTTPS, DNS, and one that resets."""

import http.server
import socket
import socketserver
import ssl
import struct
import sys
import threading


class Answers(http.server.BaseHTTPRequestHandler):
    """GET /N sends N bytes; POST answers with the length of what came."""

    protocol_version = "HTTP/1.1"

    def reply(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        name = self.path.strip("/")
        self.reply(b"x" * int(name)) if name.isdigit() else self.reply(b"none\n", 404)

    do_HEAD = do_GET

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            length = 0
            while size := int(self.rfile.readline(), 16):
                length += len(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        else:
            length = len(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply(b"%d\n" % length, 201)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, address, port):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), Answers)


def answer(query, addresses=("127.0.0.1", "::1")):
    """The answer of DNS: the first address for A, the second for AAAA, no such name for names that begin with "no-"."""
    end = 12
    while query[end]:
        end += query[end] + 1
    kind = struct.unpack("!H", query[end + 1 : end + 3])[0]
    missing = query[13:].startswith(b"no-")
    families = {1: (socket.AF_INET, addresses[0]), 28: (socket.AF_INET6, addresses[1])}
    data = socket.inet_pton(*families[kind]) if kind in families else None
    count = 1 if data and not missing else 0
    head = query[:2] + struct.pack("!HHHHH", 0x8183 if missing else 0x8180, 1, count, 0, 0)
    record = struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(data)) + data if count else b""
    return head + query[12 : end + 5] + record


class OverUDP(socketserver.BaseRequestHandler):
    def handle(self):
        self.request[1].sendto(answer(self.request[0]), self.client_address)


class OverTCP(socketserver.StreamRequestHandler):
    def handle(self):
        while len(head := self.rfile.read(2)) == 2:
            reply = answer(self.rfile.read(struct.unpack("!H", head)[0]))
            self.wfile.write(struct.pack("!H", len(reply)) + reply)


class Resetting(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(10)
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Threaded(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def shutdown_request(self, request):
        self.close_request(request)


def main():
    encrypted = Server("127.0.0.1", 8443)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    # The handshake belongs to the connection's own thread.
    encrypted.socket = context.wrap_socket(encrypted.socket, server_side=True, do_handshake_on_connect=False)
    servers = [
        Server("127.0.0.1", 8080), Server("::1", 8080), encrypted, Threaded(("127.0.0.1", 8088), Resetting),
        socketserver.ThreadingUDPServer(("127.0.0.1", 53), OverUDP), Threaded(("127.0.0.1", 53), OverTCP),
    ]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
