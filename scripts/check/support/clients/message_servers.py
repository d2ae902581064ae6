# SPDX-License-Identifier: Apache-2.0
"""Servers of other protocols than HTTP/1, of scripts/check/clients: message_servers.py SERVER DIRECTORY"""

import sys
import threading


def grpc_server(page):
    from concurrent.futures import ThreadPoolExecutor

    import grpc

    def method(answer):
        return grpc.unary_unary_rpc_method_handler(lambda body, _: answer(body))

    methods = {"Page": method(lambda _: page), "Order": method(lambda body: b"%d" % len(body))}
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("shop.Shop", methods),))
    server.add_insecure_port("127.0.0.1:50051")
    server.start()
    threading.Event().wait()


def zeromq(_):
    import zmq

    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        socket.bind("tcp://127.0.0.1:5555")
        while True:
            socket.send(b"%d" % len(socket.recv()))


def websocket(page):
    from websockets.sync.server import serve

    def answer(connection):
        for _ in connection:
            connection.send(page)

    with serve(answer, "127.0.0.1", 8765) as server:
        server.serve_forever()


def smtp(_):
    from aiosmtpd.controller import UnthreadedController
    from aiosmtpd.handlers import Sink
    import asyncio

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # The loop of asyncio has a self-pipe, no connection.
    UnthreadedController(Sink(), hostname="127.0.0.1", port=2525, loop=loop).begin()
    loop.run_forever()


def ftp(_):
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler
    from pyftpdlib.servers import FTPServer

    FTPHandler.authorizer = DummyAuthorizer()
    FTPHandler.authorizer.add_anonymous(sys.argv[2], perm="elrwm")
    FTPServer(("127.0.0.1", 2121), FTPHandler).serve_forever()


def dns(_):
    """DNS over UDP and TCP, and the page over HTTP for who has looked a name up."""
    import os
    import socketserver

    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "observation"))
    from servers import OverTCP, OverUDP, Server, Threaded
    from shop_server import Shop

    web = Server("127.0.0.1", 8080)
    web.RequestHandlerClass = Shop
    for server in web, socketserver.ThreadingUDPServer(("127.0.0.1", 53), OverUDP):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    Threaded(("127.0.0.1", 53), OverTCP).serve_forever()


if __name__ == "__main__":
    with open(f"{sys.argv[2]}/page", "rb") as file:
        globals()[sys.argv[1]](file.read())
