# SPDX-License-Identifier: Apache-2.0
# Clients and servers on loopback, and what a client sees: a line for each of the words; see FaultRunTests.swift.
import errno
import socket
import struct
import sys
import threading
import time

HOSTS = {"4": (socket.AF_INET, "127.0.0.1"), "6": (socket.AF_INET6, "::1")}


def serve(family, host):
    """Echoes by TCP on port 8080, and by UDP on port 9000."""
    listener = socket.create_server((host, 8080), family=family)

    def echo(connection):
        try:
            while data := connection.recv(65536):
                connection.sendall(data)
        except OSError:
            pass
        connection.close()

    def accept():
        while True:
            threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()

    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    datagrams.bind((host, 9000))

    def answer():
        while True:
            try:
                data, sender = datagrams.recvfrom(65536)
                datagrams.sendto(data, sender)
            except OSError:
                pass

    for body in (accept, answer):
        threading.Thread(target=body, daemon=True).start()


def name_server():
    """Answers each query for an IPv4 address by UDP and TCP with 127.0.0.7."""
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 53))
    listener = socket.create_server(("127.0.0.1", 53))

    def reply(query):
        end = 12
        while query[end]:
            end += query[end] + 1
        is_address = query[end + 1 : end + 3] == b"\0\1"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x1e\0\4\x7f\0\0\7" if is_address else b""
        counts = b"\0\1" + (b"\0\1" if is_address else b"\0\0") + b"\0\0\0\0"
        return query[:2] + b"\x85\x80" + counts + query[12 : end + 5] + record

    def by_udp():
        while True:
            query, sender = datagrams.recvfrom(4096)
            datagrams.sendto(reply(query), sender)

    def by_tcp():
        while True:
            connection = listener.accept()[0]
            try:
                query = connection.recv(4096)[2:]
                if query:
                    message = reply(query)
                    connection.sendall(struct.pack(">H", len(message)) + message)
            except OSError:
                pass
            connection.close()

    for body in (by_udp, by_tcp):
        threading.Thread(target=body, daemon=True).start()


def ask(name, kind, by_tcp):
    """What a query brings: a response code and an address, "cut", or the name of an error."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    query = b"\x12\x34\1\0\0\1\0\0\0\0\0\0" + labels + b"\0" + struct.pack(">HH", kind, 1)
    asker = socket.socket(socket.AF_INET, socket.SOCK_STREAM if by_tcp else socket.SOCK_DGRAM)
    asker.settimeout(3)
    asker.connect(("127.0.0.1", 53))
    asker.sendall((struct.pack(">H", len(query)) if by_tcp else b"") + query)
    data = asker.recv(4096)
    answer = data[2:] if by_tcp else data
    assert answer[:2] == b"\x12\x34" and answer[2] & 0x80 and answer[12 : 12 + len(labels)] == labels, answer
    if answer[2] & 2:
        return "cut"
    return "code %d%s" % (answer[3] & 15, " " + socket.inet_ntoa(answer[-4:]) if answer[6:8] == b"\0\1" else "")


def connect(version, family, host):
    connection = socket.socket(family)
    connection.settimeout(3)
    connection.connect((host, 8080))
    return connection


def echo(version, count, size):
    """How many messages of a size come back on one connection."""
    connection = connect(version, *HOSTS[version])
    for number in range(count):
        try:
            connection.sendall(b"x" * size)
            got = 0
            while got < size:
                part = connection.recv(size - got)
                if not part:
                    return "%d, then the end" % number
                got += len(part)
        except OSError as error:
            return "%d, then %s" % (number, name_of(error))
    return "%d" % count


def idle(version, seconds):
    """What a client sees that waits, after one message there and back."""
    connection = connect(version, *HOSTS[version])
    connection.sendall(b"x")
    connection.recv(1)
    connection.settimeout(seconds)
    return "a message" if connection.recv(1) else "the end"


def datagram(version, size):
    """What becomes of one datagram."""
    family, host = HOSTS[version]
    sender = socket.socket(family, socket.SOCK_DGRAM)
    sender.settimeout(1)
    sender.connect((host, 9000))
    sender.send(b"x" * size)
    return "back" if len(sender.recv(65536)) == size else "cut"


def name_of(error):
    return "silence" if isinstance(error, TimeoutError) and not error.errno else errno.errorcode.get(error.errno, "?")


def act(word):
    kind, *rest = word.split(",")
    if kind == "echo":
        return echo(rest[0], int(rest[1]), int(rest[2]))
    if kind == "idle":
        return idle(rest[0], int(rest[1]))
    if kind == "datagram":
        return datagram(rest[0], int(rest[1]))
    return ask(rest[0], int(rest[1]), kind == "ask-by-tcp")


for family, host in HOSTS.values():
    serve(family, host)
name_server()
time.sleep(0.05)
for word in sys.argv[1:]:
    begin = time.monotonic()
    try:
        seen = act(word)
    except OSError as error:
        seen = name_of(error)
    # Whole seconds: what a machine's load adds is less.
    print(seen, "after %d s" % (time.monotonic() - begin), sep=", ", flush=True)
