# SPDX-License-Identifier: Apache-2.0
# What a program sees of loopback's MTU, before and after the conditions that its words name; see LoopbackMTUTests.swift.
import os
import socket
import subprocess
import sys

IP_MTU_DISCOVER, IP_PMTUDISC_DO, TCP_INFO = 10, 2, 11

listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
server = listener.accept()[0]
data = os.urandom(300_000)


def carry():
    """Whether much data comes over the open connection as it was sent, and in segments of at most how many bytes."""
    got = b""
    sent = 0
    client.setblocking(False)
    while len(got) < len(data):
        try:
            sent += client.send(data[sent:])
        except BlockingIOError:
            pass
        server.settimeout(0.01)
        try:
            got += server.recv(1 << 20)
        except TimeoutError:
            pass
    client.setblocking(True)
    segment = int.from_bytes(client.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 24)[16:20], "little")
    return got == data, segment


def datagram(size):
    """Whether a datagram that must not be cut is sent."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
    try:
        return sender.sendto(b"x" * size, ("127.0.0.1", 9)) == size
    except OSError:
        return False


def look():
    is_whole, segment = carry()
    mtu = open("/sys/class/net/lo/mtu").read().strip()
    print(mtu, "whole" if is_whole else "damaged", "small" if segment < 1500 else "large", datagram(9000), flush=True)


look()
for word in sys.argv[1:]:
    subprocess.run([os.environ["LINKCOND"], "switch", word], check=True, stdout=subprocess.DEVNULL)
    look()
