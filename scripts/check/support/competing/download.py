# SPDX-License-Identifier: Apache-2.0
"""A download over the loopback link of a run, and what it and datagrams beside it meet.

usage: download.py SECONDS SEED alone|beside    beside: another download of the same kind, from the start

The measured download begins LEAD seconds after the start, and a part of a second that the seed decides, so that runs
meet the other flow at various points of its sawtooth. A flow that finds the link full needs several losses of the
other one to get its share, so that what is measured begins SETTLE seconds later. Prints JSON: the Mbit/s of data of
both downloads, the mean time of datagrams through the downlink, and the longest time for which this process did not
run when it should have.
"""

import json
import random
import socket
import struct
import sys
import threading
import time

LEAD, SETTLE = 3.0, 20.0
PIECE = bytes(1 << 16)
# Not a divisor of the time of a packet on the link, and by chance: else datagrams meet the same part of each gap.
GAP = (0.01, 0.03)
TCP, UDP = ("127.0.0.1", 8300), ("127.0.0.1", 8301)


def serve():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it. One that begins with the machine's default, which may be BBR, would keep its pacing.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    listener.bind(TCP)
    listener.listen()
    while True:
        start(send, listener.accept()[0])


def send(connection):
    try:
        while True:
            connection.sendall(PIECE)
    except OSError:
        pass


def start(body, *arguments):
    threading.Thread(target=body, args=arguments, daemon=True).start()


class Download:
    def __init__(self):
        self.bytes = 0
        self.connection = socket.create_connection(TCP)
        start(self.read)

    def read(self):
        room = bytearray(1 << 18)
        while count := self.connection.recv_into(room):
            self.bytes += count


class Datagrams:
    """Sent by a server at random distances; each carries the time at which it was sent."""

    def __init__(self, seed):
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(UDP)
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client.connect(UDP)
        self.random = random.Random(seed)
        self.isCounted = False
        self.times, self.stall = [], 0.0
        # Who sends first is the client, and the server's direction is the downlink.
        self.client.send(b"start")
        self.peer = self.server.recvfrom(64)[1]
        start(self.receive)
        start(self.send)

    def send(self):
        due = time.monotonic()
        while True:
            due += self.random.uniform(*GAP)
            time.sleep(max(due - time.monotonic(), 0))
            now = time.monotonic()
            self.stall = max(self.stall, now - due)
            self.server.sendto(struct.pack("?d", self.isCounted, now), self.peer)

    def receive(self):
        while True:
            data = self.client.recv(64)
            is_counted, sent = struct.unpack("?d", data)
            if is_counted:
                self.times.append(time.monotonic() - sent)


def main():
    seconds, seed, is_beside = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "beside"
    begin = time.monotonic()
    start(serve)
    time.sleep(0.05)
    downloads = [Download()] if is_beside else []
    datagrams = Datagrams(seed)
    time.sleep(begin + LEAD + random.Random(seed).random() - time.monotonic())
    downloads.append(Download())
    time.sleep(SETTLE)
    begin, bytes_before = time.monotonic(), [download.bytes for download in downloads]
    datagrams.isCounted = True
    time.sleep(seconds)
    datagrams.isCounted = False
    elapsed = time.monotonic() - begin
    rates = [(download.bytes - before) * 8 / elapsed / 1e6 for download, before in zip(downloads, bytes_before)]
    time.sleep(1)
    times = datagrams.times
    print(json.dumps({
        "goodput": rates[-1],
        "other": rates[0] if is_beside else None,
        "delay": sum(times) / len(times),
        "stall": datagrams.stall,
    }))


main()
