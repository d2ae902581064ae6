# SPDX-License-Identifier: Apache-2.0
"""Opens many connections, one after the other, to servers of its own: crowd.py COUNT

Of each thousand, one asks a server that accepts no more, and gives up; one is refused.
"""
import os
import socket
import sys
import threading

count = int(sys.argv[1])
# A client has 16,384 local ports in a sandbox, and a closed connection keeps its own for a minute: so many addresses.
hosts = [f"127.0.0.{number + 1}" for number in range(16)]


def listen(host, port, backlog):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(backlog)
    return listener


def serve(listener):
    while True:
        connection, _ = listener.accept()
        connection.recv(100)
        connection.sendall(b"answer")
        connection.close()


def ask(host):
    client = socket.create_connection((host, 8000))
    client.sendall(b"question")
    while client.recv(100):
        pass
    client.close()


def ask_in_vain(port):
    client = socket.socket()
    client.settimeout(0.05)
    client.connect_ex((hosts[0], port))
    client.close()


listeners = [listen(host, 8000, 100) for host in hosts]
full = listen(hosts[0], 8001, 0)
waiting = socket.create_connection((hosts[0], 8001))
server = os.fork()
if server == 0:
    for listener in listeners:
        threading.Thread(target=serve, args=[listener]).start()
    threading.Event().wait()
for number in range(count):
    if number % 1000 == 998:
        ask_in_vain(8001)
    elif number % 1000 == 999:
        ask_in_vain(8002)
    else:
        ask(hosts[number % len(hosts)])
os.kill(server, 9)
