# SPDX-License-Identifier: Apache-2.0
"""Downloads 600 kB from a server of its own, then asks one that takes its time between two answers."""
import socket
import threading
import time


def serve(listener):
    while True:
        connection, _ = listener.accept()
        with connection:
            size = int(connection.recv(100))
            connection.sendall(b"x" * size)
            if size < 1000:
                time.sleep(1.5)
                connection.sendall(b"x" * size)


def get(size):
    with socket.create_connection(("127.0.0.1", 8000)) as client:
        client.sendall(b"%d" % size)
        while client.recv(1 << 16):
            pass


listener = socket.create_server(("127.0.0.1", 8000))
threading.Thread(target=serve, args=[listener], daemon=True).start()
get(600_000)
get(100)
