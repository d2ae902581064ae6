# SPDX-License-Identifier: Apache-2.0
# Switches a sandbox to Black Hole and back: black-hole.py LINKCOND; prints what BlackHoleTrial.swift reads.
import json, select, socket, subprocess, sys, time

def linkcond(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout

def arrived(ends, seconds):
    deadline = time.monotonic() + seconds
    came = set()
    while len(came) < len(ends) and (left := deadline - time.monotonic()) > 0:
        came.update(select.select([end for end in ends if end not in came], [], [], left)[0])
    return [end in came for end in ends]

clients, servers = [], []
for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    listener = socket.create_server((address, 0), family=family)
    clients.append(socket.create_connection(listener.getsockname()[:2]))
    servers.append(listener.accept()[0])
for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    client, server = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)
    server.bind((address, 5300))
    client.connect((address, 5300))
    server.connect(client.getsockname()[:2])
    clients.append(client)
    servers.append(server)

linkcond("switch", "Black Hole")
for client in clients:
    client.send(b"request")
seen = arrived(servers, 120)
for server in servers:
    server.send(b"answer")
answered = arrived(clients, 1)
status = linkcond("status", "--json")

linkcond("switch", "--downlink", "delay=1 ms")
# TCP repeats its answer by itself.
for server in servers[2:]:
    server.send(b"answer")
later = arrived(clients, 120)
print(json.dumps({
    "seen": seen, "answered": answered, "status": status,
    "answeredLater": later, "laterStatus": linkcond("status", "--json"),
}))
