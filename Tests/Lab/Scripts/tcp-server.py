# SPDX-License-Identifier: Apache-2.0
# A TCP server on loopback that closes each connection; see MonitorTests.swift.
import socket
s = socket.create_server(("127.0.0.1", 8080))
while True: s.accept()[0].close()
