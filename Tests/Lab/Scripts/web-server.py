# SPDX-License-Identifier: Apache-2.0
# A web server at port 80 that prints "ready"; see Web.swift.
import socket, threading

def serve(connection):
    file = connection.makefile("rb")
    method, path = file.readline().split()[:2]
    while file.readline().strip():
        pass
    count = int(path[1:])
    if method == b"PUT":
        file.read(count)
        count = 1
    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + bytes(count))
    file.close()
    connection.close()

server = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True)
print("ready", flush=True)
while True:
    threading.Thread(target=serve, args=server.accept()[:1]).start()
