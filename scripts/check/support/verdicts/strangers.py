# SPDX-License-Identifier: Apache-2.0
"""A server at 192.0.2.7: TCP on port 7001, and UDP, where each datagram is followed by a stranger's from another port."""

import socket
import threading

INITIAL = bytes([0xC3, 0, 0, 0, 1, 8]) + bytes(range(8)) + bytes(1200)
tcp = socket.create_server(("", 7001))
known, stranger = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
known.bind(("", 7001))
stranger.bind(("", 7443))


def accept():
    held = []
    while True:
        held.append(tcp.accept())


threading.Thread(target=accept, daemon=True).start()
while True:
    data, client = known.recvfrom(65536)
    stranger.sendto(INITIAL, client)
    known.sendto(data, client)
