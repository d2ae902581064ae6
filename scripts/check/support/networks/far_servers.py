# SPDX-License-Identifier: Apache-2.0
"""Servers for the clients of scripts/check/networks: far_servers.py DIRECTORY

HTTP, HTTPS and git over HTTP (80, 443), and DNS (53), at every address. Every name is that of this machine. The directory has
the page, the repository, the key and the certificate."""

import os
import socket
import ssl
import struct
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", name) for name in ("observation", "clients")]
from servers import OverTCP, OverUDP, Server, Threaded, answer  # noqa: E402
import socketserver  # noqa: E402
from shop_server import Shop  # noqa: E402

ADDRESSES = ("10.9.0.2", "fd09::2")


class Datagrams(OverUDP):
    def handle(self):
        self.request[1].sendto(answer(self.request[0], ADDRESSES), self.client_address)


class Streams(OverTCP):
    def handle(self):
        while len(head := self.rfile.read(2)) == 2:
            reply = answer(self.rfile.read(struct.unpack("!H", head)[0]), ADDRESSES)
            self.wfile.write(struct.pack("!H", len(reply)) + reply)


def main(directory):
    shops = [Server("::", 80), Server("::", 443)]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{directory}/cert.pem", f"{directory}/key.pem")
    # The handshake belongs to the connection's own thread.
    shops[1].socket = context.wrap_socket(shops[1].socket, server_side=True, do_handshake_on_connect=False)
    for shop in shops:
        shop.RequestHandlerClass = Shop
    resolvers = [socketserver.ThreadingUDPServer((ADDRESSES[0], 53), Datagrams), Threaded((ADDRESSES[0], 53), Streams)]
    for server in shops + resolvers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


main(sys.argv[-1])
