# SPDX-License-Identifier: Apache-2.0
# Exchanges a word over loopback in both families; see RunIsolationTests.swift.
import socket
for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    server = socket.create_server((address, 0), family=family)
    client = socket.create_connection(server.getsockname()[:2])
    server.accept()[0].sendall(b"word")
    print(client.recv(4).decode(), client.getsockname()[1] >= 49152)
