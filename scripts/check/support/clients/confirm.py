# SPDX-License-Identifier: Apache-2.0
"""Compares the verdicts of a run, and what it says of each connection, with what tshark's fields tell."""

import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "observation"))
from expected import MILLISECOND, TIME, UNITS, Oracle, spoken
from figures import HEADS, flows, nanoseconds, sent_packets, streams

# The ports of gRPC's servers: tshark finds HTTP/2 by itself on ports of HTTP only.
GRPC = [word for port in (50051, 2379) for word in ("-d", f"tcp.port=={port},http2")]


class Events:
    """events.jsonl: what happened around the client that no packet tells."""

    def __init__(self, path):
        with open(path) as file:
            self.all = [json.loads(line) for line in file]
        self.begin, self.end = (self.one(name)["time"] for name in ("begin", "end"))
        steps = [event for event in self.all if event["event"] == "step"]
        ends = [event["time"] for event in steps[1:]] + [max([self.end] + [event["time"] for event in steps])]
        self.steps = {step["label"]: (step["time"], end) for step, end in zip(steps, ends)}

    def one(self, name):
        return next(event for event in self.all if event["event"] == name)

    def of(self, name, client, server):
        return [e for e in self.all if e["event"] == name and (e["client"], e["server"]) == (client, server)]

    def is_open(self, client, server):
        return bool(self.of("open", client, server))

    def asked(self, client, server, since):
        return self.last_and_time("asked", client, server, since)

    def closed(self, client, server, since):
        return self.last_and_time("closed", client, server, since)

    def last_and_time(self, name, client, server, since):
        found = [event for event in self.of(name, client, server) if event["time"] >= since]
        return (found[0]["last"], found[0]["time"]) if found else None


class Witness:
    """What client.sh saw of the command itself."""

    def __init__(self, path):
        self.sockets, self.status, self.end = set(), "timeout", None
        with open(path) as file:
            for name, *words in (line.split() for line in file):
                if name == "begin":
                    self.begin = int(float(words[0]) * 1e9)
                elif name == "end":
                    self.end, self.status = int(float(words[0]) * 1e9), words[1]
                # What no process holds is the kernel's.
                elif name == "socket" and "users:" in words[-1]:
                    self.sockets.add((words[-3], words[-2]))


def times(words):
    """The times in a text, each with half its last digit, in nanoseconds."""
    for number, unit in re.findall(TIME, words):
        digits = len(number.partition(".")[2])
        yield float(number) * UNITS[unit], 0.5 * 10**-digits * UNITS[unit]


class Confirmation:
    def __init__(self, linkcond, directory):
        capture = f"{directory}/packets.pcapng"
        with open(f"{directory}/report.json") as file:
            self.report = json.load(file)
        words = [linkcond, "capture", "-r", capture, "--summary", "--json"]
        self.summary = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.events = Events(f"{directory}/events.jsonl")
        packets = sent_packets(capture, HEADS + GRPC)
        self.streams = streams(capture, packets)
        queries = [nanoseconds(fields["frame.time_epoch"]) for fields, _, _ in packets
                   for answers in fields["dns.flags.response"].split(",") if answers in ("0", "False")]
        self.oracle = Oracle(Witness(f"{directory}/witness"), self.events, self.streams, flows(capture, packets), queries)
        self.counts, self.times, self.differences = collections.Counter(), collections.Counter(), []
        self.verdicts, self.needless = collections.Counter(), []
        self.confirm_connections()
        self.confirm_totals()
        for result in self.report["expectations"]:
            self.confirm(result)

    def same(self, what, ours, tsharks):
        self.counts[what] += 1
        if ours != tsharks:
            self.differences.append(f"{what}: {ours}, tshark {tsharks}")

    def near(self, what, ours, tsharks, tolerance=MILLISECOND):
        """Compares times in nanoseconds; None on one side only is a difference."""
        if ours is None and tsharks is None:
            return
        self.times[what] += 1
        if ours is None or tsharks is None or abs(ours - tsharks) > tolerance:
            self.differences.append(f"{what}: {ours} ns, tshark {tsharks} ns")

    def said(self, what, words, tsharks):
        """Compares the first time in a text with tshark's."""
        found = next(times(words), None)
        if found is None:
            self.differences.append(f"{what}: no time in '{words}', tshark {tsharks} ns")
        else:
            self.near(what, found[0], tsharks, found[1] + MILLISECOND)

    def confirm_connections(self):
        ours = [connection for connection in self.summary["connections"] if connection["carrier"] == "tcp"]
        self.same("connections", len(ours), len(self.streams))
        for mine, stream in zip(ours, self.streams):
            self.same("endpoints", (mine["client"], mine["server"]), (stream.client, stream.server))
            self.same("SYNs", [a["packet"] for a in mine["attempts"]], [p.number for p in stream.attempts])
            for attempt, packet in zip(mine["attempts"], stream.attempts):
                self.near("SYN sent", attempt["sent"], packet.sent)
            for name, packet in (("accepted", stream.accepted), ("firstAnswer", (stream.answers or [None])[0])):
                known = mine.get(name)
                self.same(name, known and known["packet"], packet and packet.number)
                self.near(name, known and known["delivered"], packet and packet.delivered)
            # Requests in TLS and HTTP/2 are numbered by other packets here than there; their number is compared below.
            if spoken(stream) not in ("TLS", "HTTP/2"):
                self.same("requests", [(r["method"], r["target"], r["sent"]["packet"]) for r in mine["requests"]],
                          [(method, target, packet.number) for packet, method, target in stream.requests])
                self.same("answered requests", sum("answer" in r for r in mine["requests"]), stream.answered)
            self.same("packets sent again", sorted(mine["retransmittedPackets"]),
                      sorted(p.number for side in stream.again.values() for p in side))
            for side in "client", "server":
                self.same(f"sent again by {side}", mine["retransmissions"][side], len(stream.again[side]))
                for kind in "finish", "reset":
                    end = [e["packet"] for e in mine["endings"] if (e["kind"], e["side"]) == (kind, side)]
                    packet = stream.endings[kind, side]
                    self.same(f"{kind} by {side}", [e["packet"] for e in end], [packet.number] if packet else [])
                    if end and packet:
                        self.near(f"{kind} by {side}", end[0]["sent"], packet.sent)

    def was_accepted(self, stream):
        """Whether it was while the client still had it: the kernel may accept what the client has given up."""
        return stream.accepted is not None and stream.accepted.delivered <= stream.life(self.events)[2]

    def confirm_totals(self):
        totals, again = self.report["totals"], sum(len(stream.again["client"]) for stream in self.streams)
        quic = sum(flow.is_quic for flow in self.oracle.flows)
        self.same("total of connections", totals["connections"], len(self.streams) + quic)
        self.same("total sent again", totals["retransmissions"], again)
        plain = sum(len(stream.requests) for stream in self.streams if spoken(stream) != "TLS")
        read = plain + sum(self.oracle.requests_read(stream) for stream in self.streams)
        self.same("total of requests", totals["requests"] if totals["requests"] not in (plain, read) else read, read)

    def confirm(self, result):
        text, words, verdict = result["expectation"], result["finding"], result["verdict"]
        words, _, doubt = words.partition("; but ")
        expected = self.oracle.expected(text)
        if expected is None:
            return self.differences.append(f"'{text}' is not compared")
        allowed = expected.verdicts
        if verdict in allowed:
            self.verdicts["inconclusive, rightly" if verdict == "inconclusive" else "equal" if len(allowed) == 1
                          else "one of those that are possible"] += 1
        elif verdict == "inconclusive":
            busy = re.match(r"processes waited|the link delivered", doubt)
            self.verdicts["inconclusive, busy" if busy else "inconclusive without need"] += 1
            if not busy:
                self.needless.append(f"{text}: '{result['finding']}', expected {sorted(allowed)}")
        else:
            self.verdicts["wrong"] += 1
            self.differences.append(f"{text}: {verdict}, '{result['finding']}', expected {sorted(allowed)} {expected.reason}")
        if verdict == "inconclusive" and not doubt:
            return
        if expected.number is not None:
            said = re.match(r"\d+", words)
            self.same("number of a verdict", int(said[0]) if said else None, expected.number)
        if expected.time is not None:
            self.said("time of a verdict", words, expected.time)
        if expected.packets is not None and result["packets"]:
            self.same("packets of a verdict", sorted(result["packets"]), expected.packets)
