# SPDX-License-Identifier: Apache-2.0
# Requests over HTTP, timed: web-client.py ADDRESS METHOD BYTES COUNT; prints what Web.swift reads.
import json, socket, sys, time

def request(address, method, count):
    times = [time.monotonic()]
    connection = socket.create_connection((address, 80), 120)
    times.append(time.monotonic())
    connection.sendall(b"%s /%d HTTP/1.0\r\n\r\n" % (method.encode(), count))
    if method == "PUT":
        connection.sendall(bytes(count))
    connection.recv(65536)
    times.append(time.monotonic())
    total = 0
    while chunk := connection.recv(65536):
        total += len(chunk)
    times.append(time.monotonic())
    connect, first, rest = ((late - early) * 1000 for early, late in zip(times, times[1:]))
    return {"connect": connect, "firstByte": first, "rest": rest, "bytes": total}

address, method, size, count = sys.argv[1:]
print(json.dumps([request(address, method, int(size)) for _ in range(int(count))]))
