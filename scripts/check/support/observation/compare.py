# SPDX-License-Identifier: Apache-2.0
"""Compares `linkcond capture --summary --json` with tshark's analysis of the same capture: compare.py LINKCOND CAPTURE

tshark reads the packets in the order of sending (sent_order.py), where each segment that is behind the highest number of
its side was sent before: whatever tshark takes it for (a retransmission, a fast or a spurious one, or out of order), it is
a retransmission."""

import collections
import json
import subprocess
import sys
import tempfile

from sent_order import rewrite

AGAIN = ["retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order"]
FIELDS = [
    "frame.number", "tcp.stream", "tcp.srcport", "tcp.dstport", "tcp.flags", "ip.src", "ipv6.src", "ip.dst", "ipv6.dst",
    "ip.len", "ipv6.plen", "http.request.method", "http.response.code", "http.request.uri", "dns.flags.response",
    "dns.qry.name", "dns.qry.type", "dns.id", "frame.time_epoch", "tls.handshake.extensions_server_name",
    "tcp.analysis.keep_alive", *(f"tcp.analysis.{name}" for name in AGAIN),
]
FIN, SYN, RST, ACK = 1, 2, 4, 16


def tshark(path, fields=FIELDS, options=()):
    """The fields of each packet; those that come from packets quoted in ICMP errors are left out."""
    words = ["tshark", "-n", "-r", path, "-Y", "not icmp and not icmpv6", "-T", "fields", "-E", "separator=\t"]
    words += ["-E", "occurrence=a", "-E", "aggregator=,", *options]
    for field in fields:
        words += ["-e", field]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [dict(zip(fields, line.split("\t"))) for line in text.splitlines()]


def endpoint(packet, side):
    address = packet[f"ip.{side}"] or f"[{packet[f'ipv6.{side}']}]"
    return f"{address}:{packet[f'tcp.{side}port']}"


def of_tshark(capture):
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as ordered:
        origin = rewrite(capture, ordered.name)
        packets = tshark(ordered.name)
    streams, names = {}, collections.Counter()
    asked, answered = collections.Counter(), collections.Counter()
    for packet in packets:
        number, comment = origin[int(packet["frame.number"]) - 1]
        dns = zip(*(packet[field].split(",") for field in ("dns.flags.response", "dns.id", "dns.qry.name", "dns.qry.type")))
        for response, *key in dns:
            if response in ("0", "False"):
                names["queries"] += 1
                asked[tuple(key)] += 1
            # Over TCP tshark does not dissect what is sent again.
            elif response and ("fate=passed" in comment or packet["tcp.stream"]):
                answered[tuple(key)] += 1
        if not packet["tcp.stream"]:
            continue
        flags = int(packet["tcp.flags"], 16)
        source, destination = endpoint(packet, "src"), endpoint(packet, "dst")
        if packet["tcp.stream"] not in streams:
            streams[packet["tcp.stream"]] = {
                "client": source, "server": destination, "attempts": 0, "resets": set(), "requests": [], "names": set(),
                "bytes": collections.Counter(), "packets": collections.Counter(), "again": collections.Counter(),
            }
        stream = streams[packet["tcp.stream"]]
        side = "client" if source == stream["client"] else "server"
        stream["attempts"] += flags & SYN and not flags & ACK
        stream["bytes"][side] += int(packet["ip.len"] or int(packet["ipv6.plen"]) + 40)
        stream["packets"][side] += 1
        if flags & RST:
            stream["resets"].add(side)
        if any(packet[f"tcp.analysis.{name}"] for name in AGAIN) and not packet["tcp.analysis.keep_alive"]:
            stream["again"][side] += 1
        if packet["http.request.method"]:
            stream["requests"] += zip(packet["http.request.method"].split(","), packet["http.request.uri"].split(","))
        if packet["tls.handshake.extensions_server_name"]:
            stream["names"].add(packet["tls.handshake.extensions_server_name"])
    # A server answers the link's copy of a query too.
    names["answered"] = sum(min(count, answered[key]) for key, count in asked.items())
    return list(streams.values()), names


def of_linkcond(program, capture):
    words = [program, "capture", "-r", capture, "--summary", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    program, capture = sys.argv[1:]
    summary = of_linkcond(program, capture)
    ours = [connection for connection in summary["connections"] if connection["carrier"] == "tcp"]
    theirs, names = of_tshark(capture)
    differences, counts = [], collections.Counter()

    def check(what, mine, tsharks, amount):
        counts[what] += amount
        if mine != tsharks:
            differences.append(f"{what}: {mine}, tshark {tsharks}")

    check("connections", len(ours), len(theirs), len(theirs))
    check("DNS queries", len(summary["nameQueries"]), names["queries"], names["queries"])
    check("DNS answers", summary["totals"]["answeredNameQueries"], names["answered"], names["answered"])
    for mine, stream in zip(ours, theirs):
        who = f" of {stream['client']} to {stream['server']}"
        check("endpoints", (mine["client"], mine["server"]), (stream["client"], stream["server"]), 1)
        pairs = [
            ("attempts", len(mine["attempts"]), stream["attempts"], stream["attempts"]),
            ("requests", [(r["method"], r["target"]) for r in mine["requests"]], stream["requests"],
             len(stream["requests"])),
            ("server names", {mine["serverName"]} if stream["names"] else set(), stream["names"], len(stream["names"])),
        ]
        for side in "client", "server":
            resets = [end for end in mine["endings"] if end["kind"] == "reset" and end["side"] == side]
            pairs += [
                (f"retransmissions by {side}", mine["retransmissions"][side], stream["again"][side],
                 stream["again"][side]),
                (f"bytes of {side}", mine["bytes"][side], stream["bytes"][side], stream["bytes"][side]),
                (f"packets of {side}", mine["packets"][side], stream["packets"][side], stream["packets"][side]),
                (f"resets by {side}", bool(resets), side in stream["resets"], side in stream["resets"]),
            ]
        for what, one, other, amount in pairs:
            counts[what] += amount
            if one != other:
                differences.append(f"{what}{who}: {one}, tshark {other}")
    print("  " + ", ".join(f"{count} {what}" for what, count in counts.items() if what != "endpoints"))
    for difference in differences:
        print("  DIFFERS " + difference)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
