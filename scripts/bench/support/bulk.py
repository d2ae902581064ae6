# SPDX-License-Identifier: Apache-2.0
"""One TCP connection that carries as much as it can; counts from its first byte on.

  bulk.py serve                       the far end, which prints the Mbit/s of each upload
  bulk.py down|up ADDRESS SECONDS     down prints its Mbit/s
"""

import os
import socket
import struct
import sys
import threading
import time

DOWN, UP = 8300, 8301
PIECE = bytearray(1 << 20)
RESET = struct.pack("ii", 1, 0)


def count(peer: socket.socket, seconds: float) -> float:
    """Mbit/s of what comes in so many seconds."""
    room = memoryview(bytearray(1 << 20))
    total, begin = peer.recv_into(room, 1), time.monotonic()
    while total and time.monotonic() - begin < seconds:
        peer.settimeout(max(0.01, begin + seconds - time.monotonic()))
        try:
            total += peer.recv_into(room)
        except TimeoutError:
            break
    return total * 8 / (time.monotonic() - begin) / 1e6


def each(port: int, body) -> None:
    server = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
    while True:
        threading.Thread(target=body, args=(server.accept()[0],), daemon=True).start()


def send(peer: socket.socket) -> None:
    try:
        while True:
            peer.sendall(PIECE)
    except OSError:
        peer.close()


def receive(peer: socket.socket) -> None:
    print("%.4g" % count(peer, struct.unpack("d", peer.recv(8, socket.MSG_WAITALL))[0]), flush=True)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    peer.close()


if sys.argv[1] == "serve":
    threading.Thread(target=each, args=(DOWN, send), daemon=True).start()
    print("ready", flush=True)
    each(UP, receive)
way, address, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
with socket.create_connection((address, DOWN if way == "down" else UP)) as peer:
    if way == "down":
        print("%.4g" % count(peer, seconds))
    else:
        peer.sendall(struct.pack("d", seconds))
        send(peer)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
os._exit(0)
