# SPDX-License-Identifier: Apache-2.0
"""Four clients side by side, each with a server of its own, and each with one request after the other of a fixed size.

Ports 8001 and 8002: a TCP connection for each request, and another attempt where SYN or its answer is lost. 8003: all
requests on one connection. 8004: UDP, a datagram again where no answer comes in a second.
"""
import socket
import threading
import time

REQUESTS = 8
ANSWER = 3000


def read(connection, count):
    while count > 0:
        data = connection.recv(count)
        if not data:
            raise EOFError
        count -= len(data)


def answer(connection):
    try:
        while True:
            read(connection, 200)
            connection.sendall(bytes(ANSWER))
    except (EOFError, ConnectionError):
        connection.close()


def serve(listener):
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def serve_datagrams(server):
    while True:
        data, client = server.recvfrom(2000)
        server.sendto(data + bytes(500), client)


def ask(connection):
    connection.sendall(bytes(200))
    read(connection, ANSWER)


def connect(port):
    """Gives an attempt up before the kernel sends SYN again."""
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=0.9)
            connection.settimeout(None)
            return connection
        except TimeoutError:
            pass


def ask_anew(port):
    for _ in range(REQUESTS):
        with connect(port) as connection:
            ask(connection)


def ask_on_one(port):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for _ in range(REQUESTS):
            ask(connection)


def ask_by_datagrams(port):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(1)
    client.connect(("127.0.0.1", port))
    for number in range(REQUESTS):
        while True:
            client.send(bytes([number]) * 200)
            try:
                while client.recv(2000)[0] != number:
                    pass
                break
            except TimeoutError:
                pass


for port in 8001, 8002, 8003:
    listener = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 8004))
threading.Thread(target=serve_datagrams, args=(server,), daemon=True).start()

clients = [
    threading.Thread(target=how, args=(port,))
    for how, port in ((ask_anew, 8001), (ask_anew, 8002), (ask_on_one, 8003), (ask_by_datagrams, 8004))
]
for client in clients:
    client.start()
for client in clients:
    client.join()
# What the last of them sent has its fate by then.
time.sleep(0.3)
