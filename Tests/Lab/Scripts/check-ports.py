# SPDX-License-Identifier: Apache-2.0
# Checks ports, each ADDRESS/PORT, all at once: check-ports.py SECONDS PORT...; prints what PortCheck.swift reads.
import errno, json, os, select, socket, sys, time

start = time.monotonic()
waiting, answers = {}, {}
for endpoint in sys.argv[2:]:
    host, port = endpoint.split("/")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    answers[endpoint] = {"tcp": "silence", "udp": "silence"}
    for kind, number in ("tcp", socket.SOCK_STREAM), ("udp", socket.SOCK_DGRAM):
        end = socket.socket(family, number)
        end.setblocking(False)
        code = end.connect_ex((host, int(port)))
        if code not in (0, errno.EINPROGRESS):
            answers[endpoint][kind] = errno.errorcode[code]
            continue
        if kind == "udp":
            end.send(b"probe")
        waiting[end] = endpoint, kind
while waiting and (left := start + float(sys.argv[1]) - time.monotonic()) > 0:
    tcp = [end for end in waiting if waiting[end][1] == "tcp"]
    for end in set().union(*select.select(waiting, tcp, [], left)):
        endpoint, kind = waiting.pop(end)
        code = end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        answers[endpoint][kind] = errno.errorcode.get(code, "connected" if kind == "tcp" else "answered")
print(json.dumps([answers[endpoint] for endpoint in sys.argv[2:]]))
