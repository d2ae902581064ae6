# SPDX-License-Identifier: Apache-2.0
"""Prints the fate of each packet that was sent for the first time in a capture of linkcond's, a line each, sorted.

    fates.py CAPTURE

A line: the server's port, the flow's number among those to it, up or down, the offset of its first byte in the stream of
its side (of UDP: its number), and the fate. Acknowledgements without payload have no line.
"""
import re
import struct
import sys


def packets(data):
    """The time and the bytes of each packet, and its comment."""
    position = 0
    while position + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, position)
        if kind == 6:
            _, high, low, kept, _ = struct.unpack_from("<IIIII", data, position + 8)
            option = position + 28 + (kept + 3 & ~3)
            comment = ""
            while option + 4 <= position + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                if code == 1 and not comment:
                    comment = data[option + 4 : option + 4 + size].decode()
                if code == 0:
                    break
                option += 4 + (size + 3 & ~3)
            yield high << 32 | low, data[position + 28 : position + 28 + kept], comment
        position += length


def main(path):
    data = open(path, "rb").read()
    sent = []
    for time, frame, comment in packets(data):
        words = dict(word.split("=") for word in comment.split())
        header = frame[frame.index(b"\x45") :]
        if header[9] not in (6, 17) or words.get("fate") == "duplicate":
            continue
        if words["lane"] == "downlink" and "delay" in words:
            # Captured when it was delivered.
            time -= round(float(words["delay"].removesuffix("ms")) * 1e6)
        sent.append((time, header, words))
    sent.sort(key=lambda packet: packet[0])

    numbers, flows, lines = {}, {}, set()
    for _, header, words in sent:
        transport = header[(header[0] & 15) * 4 :]
        source, destination = struct.unpack_from(">HH", transport)
        is_up = words["lane"] != "downlink"
        server, client = (destination, source) if is_up else (source, destination)
        sequence = struct.unpack_from(">I", transport, 4)[0]
        is_tcp = header[9] == 6
        flags = transport[13] if is_tcp else 0
        key = (header[9], server, client)
        if key not in flows or flags & 0x12 == 2 and flows[key][True][0] != sequence:
            numbers[server] = numbers.get(server, 0) + 1
            flows[key] = {"number": numbers[server], True: [None, set()], False: [None, set()]}
        side = flows[key][is_up]
        if is_tcp:
            length = struct.unpack_from(">H", header, 2)[0] - (header[0] & 15) * 4 - (transport[12] >> 4) * 4
            if flags & 2:
                side[0] = sequence
            if flags & 4 or length == 0 and not flags & 3:
                continue
            place = sequence - side[0] & 0xFFFFFFFF
        else:
            place = len(side[1])
        if place in side[1]:
            continue
        side[1].add(place)
        fate = words["fate"] + (" " + words["reason"] if "reason" in words else "")
        lines.add((server, flows[key]["number"], "up" if is_up else "down", place, fate))
    for line in sorted(lines):
        print(*line)


main(sys.argv[1])
