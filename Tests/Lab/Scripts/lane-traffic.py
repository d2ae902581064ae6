# SPDX-License-Identifier: Apache-2.0
# Sends numbered datagrams over loopback, which are sent back: lane-traffic.py LEAST [LINKCOND PROFILE...], which switches
# to the profiles meanwhile. Prints what CapturedLanes.swift reads.
import json, select, socket, subprocess, sys, time

count, switches = int(sys.argv[1]), sys.argv[3:]
server, client = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 7001))
client.connect(("127.0.0.1", 7001))
for end in server, client:
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
served = answered = 0

def serve(until):
    global served, answered
    while (left := until - time.monotonic()) > 0:
        for end in select.select([server, client], [], [], left)[0]:
            data, sender = end.recvfrom(2000)
            if end is server:
                served += 1
                server.sendto(data, sender)
            else:
                answered += 1

switching, since, number = None, 0, 0
start = time.monotonic()
# Until all conditions have had their share.
while number < count or switches or switching and number - since < 80:
    if switching and switching.poll() is None:
        since = number
    elif switches and number - since >= 80:
        switching = subprocess.Popen([sys.argv[2], "switch", switches.pop(0)])
    client.send(b"%06d" % number + bytes(94))
    number += 1
    serve(start + 0.003 * number)
assert not switching or switching.wait() == 0
# Until nothing comes for a second.
before = None
while before != (served, answered):
    before = served, answered
    serve(time.monotonic() + 1)
drops = {}
for qdisc in json.loads(subprocess.run(["tc", "-s", "-j", "qdisc", "show"], capture_output=True).stdout):
    if qdisc.get("root") and qdisc["dev"].startswith("lc1r"):
        drops[qdisc["dev"][5:6]] = drops.get(qdisc["dev"][5:6], 0) + qdisc["drops"]
print(json.dumps({"sent": number, "served": served, "answered": answered, "drops": drops}))
