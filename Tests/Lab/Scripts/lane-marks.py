# SPDX-License-Identifier: Apache-2.0
# Sends numbered datagrams over loopback, every second of them able to carry marks of ECN: lane-marks.py COUNT. Prints what
# arrived.
import json, socket, sys, time

count = int(sys.argv[1])
server, client = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 7001))
client.connect(("127.0.0.1", 7001))
server.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
for number in range(count):
    client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2 * (number % 2))
    client.send(b"%06d" % number + bytes(94))
    time.sleep(0.003)
server.settimeout(3)
marked, plain = [], []
try:
    while True:
        data, properties = server.recvmsg(2000, 100)[:2]
        (marked if properties[0][2][0] & 3 == 3 else plain).append(int(data[:6]))
except TimeoutError:
    print(json.dumps({"marked": marked, "plain": plain}))
