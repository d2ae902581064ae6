# SPDX-License-Identifier: Apache-2.0
# Sends a datagram to a port of loopback and prints the answer; see RunHostPortTests.swift.
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(5)
s.sendto(b"hello", ("127.0.0.1", int(sys.argv[1])))
print(s.recv(100).decode())
