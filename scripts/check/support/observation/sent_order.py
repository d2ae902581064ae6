# SPDX-License-Identifier: Apache-2.0
"""Rewrites a capture of `run --capture`: each packet as its sender sent it, in the order of sending, and no copies that
the link made. tshark, which knows no fates, then sees on both sides what a sender's own capture would have."""

import re
import struct

SECTION, INTERFACE, PACKET, SECRETS = 0x0A0D0D0A, 1, 6, 10


def blocks(data):
    place = 0
    while place + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, place)
        yield kind, data[place : place + length]
        place += length


def comment(block):
    kept = struct.unpack_from("<I", block, 20)[0]
    place = 28 + (kept + 3) // 4 * 4
    while place + 4 <= len(block) - 4:
        code, length = struct.unpack_from("<HH", block, place)
        if code == 1:
            return block[place + 4 : place + 4 + length].decode()
        if code == 0:
            break
        place += 4 + (length + 3) // 4 * 4
    return ""


def nanoseconds(words, name):
    found = re.search(rf"\b{name}=(-?)(\d+)\.(\d{{6}})ms", words)
    if not found:
        return None
    return int(found[1] + "1") * (int(found[2]) * 1_000_000 + int(found[3]))


def sequence(block):
    """Of packets that are sent at once the first in the stream is first: ports and sequence number."""
    frame = block[28:]
    version, start = frame[14] >> 4, 14 + (40 if frame[14] >> 4 == 6 else (frame[14] & 15) * 4)
    protocol = frame[20] if version == 6 else frame[23]
    return struct.unpack_from("!HHI", frame, start) if protocol == 6 else ()


def rewrite(source, target):
    """Returns the number in `source` of each packet of `target`, with its comment."""
    heads, packets, number = [], [], 0
    with open(source, "rb") as file:
        data = file.read()
    for kind, block in blocks(data):
        if kind in (SECTION, INTERFACE, SECRETS):
            heads.append(block)
        if kind != PACKET:
            continue
        number += 1
        words = comment(block)
        high, low = struct.unpack_from("<II", block, 12)
        time = high << 32 | low
        if "lane=downlink" in words:
            delay = nanoseconds(words, "delay")
            time -= delay if delay is not None else nanoseconds(words, "due") or 0
        if "fate=duplicate" not in words and "copy=1" not in words:
            stamped = block[:12] + struct.pack("<II", time >> 32, time & 0xFFFFFFFF) + block[20:]
            packets.append((time, sequence(block), number, words, stamped))
    # Sequence numbers wrap: only those of one moment are compared, near which they do not.
    packets.sort(key=lambda packet: packet[:3])
    with open(target, "wb") as file:
        file.write(b"".join(heads) + b"".join(packet[4] for packet in packets))
    return [(packet[2], packet[3]) for packet in packets]
