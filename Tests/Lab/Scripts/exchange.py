# SPDX-License-Identifier: Apache-2.0
# Requests and answers on loopback, timed; see Exchange.swift.
import json, socket, sys, time

def connected(transport, address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    kind = socket.SOCK_STREAM if transport == "tcp" else socket.SOCK_DGRAM
    server, client = socket.socket(family, kind), socket.socket(family, kind)
    server.bind((address, int(port)))
    if transport == "tcp":
        server.listen()
    client.connect(server.getsockname()[:2])
    if transport == "tcp":
        server = server.accept()[0]
    else:
        server.connect(client.getsockname()[:2])
    return client, server

def milliseconds(sender, receiver):
    receiver.settimeout(120)
    start = time.monotonic()
    sender.send(b"x")
    receiver.recv(100)
    return (time.monotonic() - start) * 1000

def exchange(endpoint):
    client, server = connected(*endpoint.split("/"))
    times = [(milliseconds(client, server), milliseconds(server, client)) for _ in range(5)]
    request, answer = map(min, zip(*times))
    return {"request": request, "answer": answer}

print(json.dumps([exchange(endpoint) for endpoint in sys.argv[1:]]))
