# SPDX-License-Identifier: Apache-2.0
# A name server that knows one name: name-server.py ADDRESS IPV4 IPV6 NAME; prints "ready" and each query's type.
import socket, struct, sys

addresses = {
    1: ("A", socket.inet_aton(sys.argv[2])),
    28: ("AAAA", socket.inet_pton(socket.AF_INET6, sys.argv[3])),
}
name = b"".join(bytes([len(label)]) + label.encode() for label in sys.argv[4].split(".")) + b"\0"
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
print("ready", flush=True)
while True:
    query, client = server.recvfrom(4096)
    end = query.index(b"\0", 12) + 5
    question = query[12:end]
    word, data = addresses.get(struct.unpack(">H", question[-4:-2])[0], ("other", b""))
    print(word, flush=True)
    answer = b""
    if data and question[:-4] == name:
        answer = b"\xc0\x0c" + question[-4:] + struct.pack(">IH", 60, len(data)) + data
    counts = struct.pack(">HHHH", 1, len(answer) > 0, 0, 0)
    server.sendto(query[:2] + b"\x81\x80" + counts + question + answer, client)
