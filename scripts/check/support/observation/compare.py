# SPDX-License-Identifier: Apache-2.0
"""Compares `linkcond capture --summary --json` with tshark's analysis of the same capture: compare.py LINKCOND CAPTURE"""

import collections
import json
import subprocess
import sys

from figures import HEADS, sent_packets, streams


def name_counts(packets):
    """How many DNS queries there were, and how many of them were answered."""
    asked, answered = collections.Counter(), collections.Counter()
    for packet, _, comment in packets:
        dns = zip(*(packet[field].split(",") for field in ("dns.flags.response", "dns.id", "dns.qry.name", "dns.qry.type")))
        for response, *key in dns:
            if response in ("0", "False"):
                asked[tuple(key)] += 1
            # Over TCP tshark does not dissect what is sent again.
            elif response and ("fate=passed" in comment or packet["tcp.stream"]):
                answered[tuple(key)] += 1
    # A server answers the link's copy of a query too.
    return sum(asked.values()), sum(min(count, answered[key]) for key, count in asked.items())


def main():
    program, capture = sys.argv[1:]
    words = [program, "capture", "-r", capture, "--summary", "--json"]
    summary = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    ours = [connection for connection in summary["connections"] if connection["carrier"] == "tcp"]
    packets = sent_packets(capture, HEADS)
    theirs, (queries, answers) = streams(capture, packets), name_counts(packets)
    differences, counts = [], collections.Counter()

    def check(what, mine, tsharks, amount, of=""):
        counts[what] += amount
        if mine != tsharks:
            differences.append(f"{what}{of}: {mine}, tshark {tsharks}")

    check("connections", len(ours), len(theirs), len(theirs))
    check("DNS queries", len(summary["nameQueries"]), queries, queries)
    check("DNS answers", summary["totals"]["answeredNameQueries"], answers, answers)
    for mine, stream in zip(ours, theirs):
        of = f" of {stream.client} to {stream.server}"
        requests = [(method, target) for _, method, target in stream.requests]
        check("endpoints", (mine["client"], mine["server"]), (stream.client, stream.server), 1)
        check("attempts", len(mine["attempts"]), len(stream.attempts), len(stream.attempts), of)
        check("requests", [(r["method"], r["target"]) for r in mine["requests"]], requests, len(requests), of)
        check("server names", {mine["serverName"]} if stream.names else set(), stream.names, len(stream.names), of)
        for side in "client", "server":
            again, has_reset = len(stream.again[side]), stream.endings["reset", side] is not None
            resets = [end for end in mine["endings"] if end["kind"] == "reset" and end["side"] == side]
            check(f"retransmissions by {side}", mine["retransmissions"][side], again, again, of)
            check(f"bytes of {side}", mine["bytes"][side], stream.size[side], stream.size[side], of)
            check(f"packets of {side}", mine["packets"][side], stream.packets[side], stream.packets[side], of)
            check(f"resets by {side}", bool(resets), has_reset, has_reset, of)
    print("  " + ", ".join(f"{count} {what}" for what, count in counts.items() if what != "endpoints"))
    for difference in differences:
        print("  DIFFERS " + difference)
    sys.exit(1 if differences else 0)


main()
