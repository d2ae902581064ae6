# SPDX-License-Identifier: Apache-2.0
# Listens at a port of every address, TCP and UDP: listen.py PORT; prints "ready", and "tcp" or "udp" for each client.
import select, socket, sys

ends = []
for family, address in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        end = socket.socket(family, kind)
        if family == socket.AF_INET6:
            end.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        end.bind((address, int(sys.argv[1])))
        if kind == socket.SOCK_STREAM:
            end.listen()
        ends.append(end)
print("ready", flush=True)
while True:
    for end in select.select(ends, [], [])[0]:
        if end.type == socket.SOCK_STREAM:
            end.accept()
            print("tcp", flush=True)
        else:
            data, peer = end.recvfrom(100)
            end.sendto(data, peer)
            print("udp", flush=True)
