# SPDX-License-Identifier: Apache-2.0
"""Computes the figure of each verdict from tshark's fields, and compares."""

import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "observation"))
from figures import HEADS, NEVER, sent_packets, streams

MILLISECOND = 1_000_000
UNITS = {"us": 1000, "ms": MILLISECOND, "s": 1_000_000_000, "min": 60_000_000_000}
TIME = r"([\d.]+) (us|ms|s|min)\b"


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
        self.streams = streams(capture, sent_packets(capture, HEADS))
        self.counts, self.times, self.differences = collections.Counter(), collections.Counter(), []
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
        self.same("total of connections", totals["connections"], len(self.streams))
        self.same("total accepted", totals["accepted"], sum(self.was_accepted(stream) for stream in self.streams))
        self.same("total of requests", totals["requests"], sum(len(stream.requests) for stream in self.streams))
        self.same("total sent again", totals["retransmissions"], again)

    def confirm(self, result):
        text, words = result["expectation"], result["finding"]
        # The doubt of a busy machine follows the figure.
        words = words.partition("; but ")[0]
        label = re.search(r"'(.*)'", text)
        span = (self.events.begin, NEVER)
        if label:
            if label[1] not in self.events.steps:
                return self.same("steps that never began", result["verdict"], "inconclusive")
            span = self.events.steps[label[1]]
        numbers = result["packets"]
        if text.startswith(("completes", "leaves", "exits")):
            # No packet tells; the events do, and the script's own look at the exit status.
            if text.startswith("completes"):
                self.said("end of the command", words, self.events.end - self.events.begin)
        elif text.startswith("at most"):
            self.confirm_count(text, words, numbers, span)
        elif text.startswith(("first byte", "recovers")):
            self.confirm_answer(words, numbers, span, label)
        elif text.startswith("times out"):
            self.confirm_giving_up(result, words, numbers, span, *next(times(text)))
        elif text.startswith("attempts back off"):
            self.confirm_backing_off(words, numbers, span)
        elif text.startswith("sends no request twice"):
            self.confirm_repetition(words, numbers)
        else:
            self.differences.append(f"'{text}' is not compared")

    def attempts(self, span):
        return [s.first for s in self.streams if s.first and span[0] <= s.first.sent < span[1]]

    def confirm_count(self, text, words, numbers, span):
        if "attempts" in text:
            found = self.attempts(span)
        elif "retransmissions" in text:
            found = [p for s in self.streams for p in s.again["client"] if span[0] <= p.sent < span[1]]
        else:
            return self.differences.append(f"'{text}' is not compared")
        self.same("number of a verdict", int(words.split()[0]), len(found))
        self.same("packets of a verdict", numbers, [p.number for p in found])

    def confirm_answer(self, words, numbers, span, label):
        begin = span[0] if label else min(p.sent for p in self.attempts(span))
        answers = [p for s in self.streams for p in s.answers if p.delivered > begin]
        if not answers:
            self.same("verdicts without an answer", words.startswith("no byte of an answer came"), True)
            return self.said("wait for nothing", words, max(self.events.end - begin, 0))
        first = min(answers, key=lambda p: p.delivered)
        self.same("packets of a verdict", numbers, [first.number])
        self.said("first answer", words, first.delivered - begin)

    def confirm_giving_up(self, result, words, numbers, span, limit, _):
        """What waits: open or attempted then. The wait begins after the last answer that was still under way."""
        waits, opened = [], 0
        for stream in self.streams:
            begin, earliest, latest, packet = stream.life(self.events)
            if not (begin <= span[0] < latest or span[0] <= begin < span[1]):
                continue
            opened += 1
            start = max(begin, span[0])
            for answer in stream.answers:
                if start < answer.delivered <= start + limit:
                    start = answer.delivered
            if start < span[1]:
                waits.append((start, earliest, latest, stream, packet))
        late = [w for w in waits if w[1] > w[0] + limit and not (w[2] > span[1] and span[1] < w[0] + limit)]
        if not waits:
            self.same("verdicts without a waiting connection", words.startswith(("no connection", "each of")), True)
        elif late:
            start, earliest, latest, stream, packet = late[0]
            self.same("verdicts on giving up", result["verdict"] in ("fail", "inconclusive"), True)
            if latest == NEVER:
                return self.same("connections still open", "was still open" in words, True)
            self.said("time until given up", words, latest - start)
            self.same("packets of a verdict", numbers, [stream.first.number] + ([packet.number] if packet else []))
            more = re.search(r"and (\d+) more were late", words)
            self.same("connections given up late", 1 + int(more[1] if more else 0), len(late))
        elif result["verdict"] == "pass":
            many = re.search(r"(\d+) in all", words)
            self.same("connections given up", int(many[1]) if many else 1, len(waits))
            if not many:
                self.said("time until given up", words, waits[0][2] - waits[0][0])
        else:
            self.same("verdicts in doubt", result["verdict"], "inconclusive")

    def confirm_backing_off(self, words, numbers, span):
        found = self.attempts(span)
        if not found:
            return self.same("verdicts without an attempt", words.startswith("no connection was attempted"), True)
        self.same("number of a verdict", int(words.split()[0]), len(found))
        self.same("packets of a verdict", numbers, [p.number for p in found])
        fit = re.search(rf": first wait {TIME}, each ([\d.]+) times the one before(?:, (\d+) % more or less)?"
                        rf"(?:, at most {TIME})?", words)
        gaps = [b.sent - a.sent for a, b in zip(found, found[1:])]
        if not fit:
            return self.same("too few attempts", len(gaps) < 3, True)
        base, factor = float(fit[1]) * UNITS[fit[2]], float(fit[3])
        cap = float(fit[5]) * UNITS[fit[6]] if fit[5] else NEVER
        # The factor is rounded to a tenth, which the later waits feel most.
        for place, gap in enumerate(gaps):
            spread = 0.02 + int(fit[4] or 0) / 100 + 0.05 / factor * place
            expected = min(base * factor**place, cap)
            self.near("wait of a fit", expected, gap, expected * spread + MILLISECOND)

    def confirm_repetition(self, words, numbers):
        requests = sorted(
            (packet.sent, packet.number, method, target, place < stream.answered)
            for stream in self.streams for place, (packet, method, target) in enumerate(stream.requests)
        )
        if not requests:
            return self.same("verdicts without a request", words, "no HTTP/1 request in the clear was seen")
        failed = {}
        for _, number, method, target, answered in requests:
            if method != "POST":
                continue
            if (method, target) in failed:
                self.same("repeated request", words,
                          f"{method} {target} was sent again after its connection had failed")
                return self.same("packets of a verdict", numbers, [failed[method, target], number])
            if not answered:
                failed[method, target] = number
        self.same("requests of a verdict", int(words.split()[0]), len(requests))
