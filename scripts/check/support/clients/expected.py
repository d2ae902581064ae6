# SPDX-License-Identifier: Apache-2.0
"""The verdict that an expectation should get, worked out from tshark's fields, from the samples of the sockets, and from
what the script that ran the client saw itself. It knows linkcond's guide, and none of its findings."""

import re
from dataclasses import dataclass

from figures import ACK, NEVER, RST

MILLISECOND = 1_000_000
SECOND = 1_000_000_000
UNITS = {"us": 1000, "ms": MILLISECOND, "s": SECOND, "min": 60 * SECOND}
SIZES = {"bytes": 1, "kB": 1000, "MB": 1_000_000}
TIME = r"([\d.]+) (us|ms|s|min)\b"
# The witness stands inside of the command, and a process starts and ends beside others.
SLACK = 500 * MILLISECOND
# "at most 1 connection" counts connections.
PLURALS = {
    "connection": "connections", "connection attempt": "connection attempts",
    "connection at a time": "connections at a time", "request": "requests", "retransmission": "retransmissions",
    "DNS query": "DNS queries",
}
BOTH, ANY = {"pass", "fail"}, {"pass", "fail", "inconclusive"}


@dataclass
class Expected:
    """The verdicts that are right: one, or several where what is known cannot tell. What the finding says is compared
    with `number` or `time` where they are known, and its packets with `packets`."""

    verdicts: set
    reason: str = ""
    number: int | None = None
    time: int | None = None
    packets: list | None = None

    @property
    def is_certain(self):
        return len(self.verdicts) == 1


def holds(truth, **figures):
    return Expected({"pass" if truth else "fail"}, **figures)


def unknown(reason, **figures):
    return Expected({"inconclusive"}, reason, **figures)


class Oracle:
    def __init__(self, witness, events, streams, flows, queries):
        self.witness, self.events, self.streams, self.flows, self.queries = witness, events, streams, flows, queries

    def expected(self, text):
        """The verdict on an expectation; None for one that this does not know."""
        label = re.search(r"'(.*)'", text)
        span = (self.events.begin, NEVER)
        if label:
            if label[1] not in self.events.steps:
                return unknown("the label never began")
            span = self.events.steps[label[1]]
        peer = re.search(r" to (\S+):(\d+)", text)
        self.own, self.own_flows = self.streams, self.flows
        if peer:
            addresses = {f"127.0.0.1:{peer[2]}", f"[::1]:{peer[2]}"} if peer[1] == "localhost" else set()
            self.own = [s for s in self.streams if s.server in addresses]
            self.own_flows = [f for f in self.flows if f.server in addresses]
            if not self.own and not self.own_flows:
                return unknown("nothing was sent to the peer")
            if all(map(is_dns, [*self.own, *self.own_flows])):
                return Expected({"inconclusive", "pass"}, "only names were asked for there")
        limit = next((float(n) * UNITS[unit] for n, unit in re.findall(TIME, text)), None)
        if text.startswith("at most"):
            amount = re.match(r"at most ([\d.]+) (.*?)(?: to .*| during .*)?$", text)
            return self.count(float(amount[1]), PLURALS.get(amount[2], amount[2]), span, bool(label))
        for start, judge in (
            ("exits", self.exits), ("completes", self.completes), ("first byte", self.first_byte),
            ("recovers", self.recovers), ("times out", self.times_out), ("closes", self.closes),
            ("attempts back off", self.backs_off), ("sends no", self.repeats), ("leaves", self.leaves),
        ):
            if text.startswith(start):
                return judge(span, limit)
        return None

    # The command's end.

    def exits(self, *_):
        return holds(self.witness.status == "0")

    def completes(self, _, limit):
        if self.witness.status == "timeout":
            return holds(False, time=self.events.end - self.events.begin)
        time = self.witness.end - self.witness.begin
        verdicts = BOTH if limit - SLACK < time <= limit else {"pass" if time <= limit else "fail"}
        return Expected(verdicts)

    def leaves(self, *_):
        own = {(stream.client, stream.server) for stream in self.streams}
        if self.witness.status != "timeout":
            return holds(not own & self.witness.sockets)
        # The signal of --timeout may have ended the client before the witness looks.
        lives = [stream.life(self.events) for stream in self.streams]
        if any(latest == NEVER for _, _, latest, _ in lives):
            return holds(False)
        return Expected(BOTH, "the limit of time ended the client")

    # What is counted.

    def count(self, limit, what, span, is_part):
        streams, flows = self.own, self.own_flows
        quic = [flow for flow in flows if flow.is_quic]
        if what in ("connections", "connection attempts") and not (is_part and what == "connections"):
            first = [o.first for o in [*streams, *quic] if o.first and span[0] <= o.first.sent < span[1]]
            return holds(len(first) <= limit, number=len(first), packets=sorted(p.number for p in first))
        if what == "connections":
            lives = [self.life(o) for o in [*streams, *quic]]
            least, most = (sum(b < span[1] and (b >= span[0] or ends[end] > span[0]) for b, *ends in lives) for end in (0, 1))
            return self.between(least, most, limit)
        if what == "connections at a time":
            lives = [self.life(o) for o in [*streams, *quic]]
            return self.between(*(most_at_once([(b, ends[end]) for b, *ends in lives], span) for end in (0, 1)), limit)
        if what == "DNS queries":
            number = sum(span[0] <= sent < span[1] for sent in self.queries)
            return holds(number <= limit, number=number)
        if what == "retransmissions":
            again = [p for s in streams for p in s.again["client"] if span[0] <= p.sent < span[1]]
            figures = {"number": len(again), "packets": sorted(p.number for p in again)}
            if len(again) <= limit and any(f.last >= span[0] and f.first.sent < span[1] for f in quic):
                return unknown("retransmissions in QUIC are hidden", **figures)
            return holds(len(again) <= limit, **figures)
        if what == "requests":
            return self.requests(limit, span, streams, quic)
        unit = what if what in SIZES else "bytes"
        if unit in SIZES:
            # During a label, bytes are known by pieces of 10 ms.
            edge = 10 * MILLISECOND if is_part else 0
            sums = [sum(p.size for o in [*streams, *flows] for p in packets_of(o) if span[0] - d <= p.sent < span[1] + d or not is_part)
                    for d in (-edge, edge)]
            return self.between(*sums, limit * SIZES[unit])
        return None

    def between(self, least, most, limit):
        if least > limit or most <= limit:
            return holds(least <= limit, number=least if least == most else None)
        return Expected(ANY, f"between {least} and {most}")

    def requests(self, limit, span, streams, quic):
        seen = [p for s in streams if spoken(s) != "TLS" for p, *_ in s.requests if span[0] <= p.sent < span[1]]
        hidden = self.hidden(streams, quic)
        if len(seen) > limit:
            return holds(False, number=None if hidden else len(seen))
        if not hidden:
            return holds(True, number=len(seen), packets=sorted(p.number for p in seen))
        readable = [h for h in hidden if h in ("TLS", "HTTP/2")]
        if len(readable) == len(hidden):
            # tshark reads HTTP/2, too, and TLS where the client has logged the keys; linkcond may.
            total = len(seen) + sum(self.requests_read(stream) for stream in streams)
            return Expected({"inconclusive", "fail" if total > limit else "pass"}, f"requests in {hidden[0]}")
        return unknown(f"requests in {hidden[0]}")

    def requests_read(self, stream):
        """The requests that only who reads TLS or HTTP/2 counts."""
        in_tls = len(stream.requests) if spoken(stream) == "TLS" else 0
        return in_tls + sum(len(packet.methods2) for packet in stream.of_client)

    def hidden(self, streams, quic):
        """What hides requests: a name for each connection."""
        found = [spoken(stream) for stream in streams]
        return [name for name in found if name not in ("HTTP/1", "nothing")] + ["QUIC"] * len(quic)

    # Answers.

    def life(self, one):
        """(begin, earliest end, latest end)"""
        return one.life(self.events)[:3] if hasattr(one, "again") else (one.first.sent, one.last, NEVER)

    def first_answer(self, begin):
        arrived = []
        # What answers the question for a name answers nothing that is asked of the name's host.
        for one in [o for o in [*self.own, *self.own_flows] if not is_dns(o)]:
            for packet in one.answers:
                if packet.delivered > begin and (not hasattr(one, "again") or reaches(one, packet, self.events)):
                    arrived.append(packet)
        return min(arrived, key=lambda packet: packet.delivered, default=None)

    def first_byte(self, span, limit):
        begins = [o.first.sent for o in [*self.own, *self.own_flows] if o.first and not is_dns(o)]
        if begins:
            return self.answered(min(begins), limit)
        return Expected({"pass", "inconclusive"}, "only names were asked for") if self.own_flows else holds(False)

    def recovers(self, span, limit):
        return self.answered(span[0], limit)

    def answered(self, begin, limit):
        first = self.first_answer(begin)
        if not first:
            return holds(False)
        time = first.delivered - begin
        return Expected(BOTH if abs(time - limit) < MILLISECOND else {"pass" if time <= limit else "fail"},
                        time=time, packets=[first.number])

    # What the client lets go of.

    def verdict_of_end(self, start, earliest, latest, limit):
        deadline = start + limit
        if latest == NEVER:
            return "fail" if self.events.end > deadline else "inconclusive"
        if latest <= deadline:
            return "pass"
        return "unclear" if earliest <= deadline else "fail"

    def summed(self, found, reason):
        if not found:
            return unknown(reason)
        if "fail" in found:
            return holds(False)
        if "inconclusive" in found:
            return unknown("waited too shortly")
        return Expected(ANY, "between two looks at the sockets") if "unclear" in found else holds(True)

    def times_out(self, span, limit):
        found = []
        for stream in self.own:
            begin, earliest, latest, _ = stream.life(self.events)
            if not (begin <= span[0] < latest or span[0] <= begin < span[1]):
                continue
            start = max(begin, span[0])
            # What was under way still arrives.
            for answer in stream.answers:
                if start < answer.delivered <= start + limit:
                    start = answer.delivered
            if start >= span[1]:
                continue
            ended = latest > span[1] and span[1] < start + limit
            found.append("inconclusive" if ended else self.verdict_of_end(start, earliest, latest, limit))
        return self.summed(found, "nothing waited")

    def closes(self, span, limit):
        lives = [stream.life(self.events) for stream in self.own]
        found = [self.verdict_of_end(span[0], earliest, latest, limit) for begin, earliest, latest, _ in lives
                 if begin <= span[0] < latest]
        return self.summed(found, "nothing was open")

    # Repetitions.

    def backs_off(self, span, _):
        runs, found = {}, []
        for stream in sorted((s for s in self.own if s.first and span[0] <= s.first.sent < span[1]), key=lambda s: s.first.sent):
            run = runs.setdefault(stream.server, [[]])
            run[-1].append(stream)
            if succeeded(stream):
                run.append([])
        for run in (run for of_server in runs.values() for run in of_server if len(run) > 1):
            gaps = [b.first.sent - a.first.sent for a, b in zip(run, run[1:])]
            pauses = [b.first.sent - a.life(self.events)[2] for a, b in zip(run, run[1:])]
            found.append("few" if len(gaps) < 3 else "unclear" if len(gaps) < 4 else trend(gaps, pauses))
        if not found or set(found) == {"few"}:
            return unknown("too few attempts after a failure")
        if "fail" in found:
            return holds(False)
        return Expected({"pass"}) if set(found) <= {"pass", "few"} else Expected(ANY, "waits that tell no trend")

    def repeats(self, *_):
        hidden = self.hidden(self.own, [flow for flow in self.own_flows if flow.is_quic])
        sent = sorted((packet.sent, packet.number, method, target, body, place < stream.answered)
                      for stream in self.own
                      for place, ((packet, method, target), body) in enumerate(zip(stream.requests, bodies(stream))))
        failed = {}
        for _, number, method, target, body, answered in sent:
            if method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS"):
                continue
            if (method, target) in failed:
                before, old = failed[method, target]
                if None in (before, body):
                    return Expected({"inconclusive", "fail"}, "a body was not seen whole")
                if before == body:
                    return holds(False, packets=[old, number])
            if not answered:
                failed[method, target] = (body, number)
        if hidden:
            return Expected({"inconclusive", "pass"} if set(hidden) <= {"TLS", "HTTP/2"} else {"inconclusive"},
                            f"requests in {hidden[0]}")
        return holds(True, number=len(sent)) if sent else unknown("no request was seen")


def is_dns(one):
    return not hasattr(one, "again") and one.server.endswith(":53")


def packets_of(one):
    return one.of_client + one.of_server if hasattr(one, "again") else one.all


def spoken(stream):
    """What the client spoke on a connection."""
    if not any(packet.payload for packet in stream.of_client):
        return "nothing"
    if any(packet.speaks_tls for packet in packets_of(stream)):
        return "TLS"
    if any(packet.payload.startswith(b"PRI * HTTP/2.0") or packet.methods2 for packet in stream.of_client):
        return "HTTP/2"
    # After 101 the client has what it asked for: what it says then, on a WebSocket, are no requests.
    if not stream.requests or any(method == "CONNECT" for _, method, _ in stream.requests):
        return "another protocol"
    return "HTTP/1"


def reaches(stream, packet, events):
    """Whether an answer reached a client that still had the connection: else its kernel answers with RST, without ACK."""
    earliest, latest, ending = stream.life(events)[1:]
    if ending is None and latest != NEVER:
        return packet.delivered < latest
    refused = [p for p in stream.of_client if p.flags & RST]
    if not refused:
        return True
    if refused[0].flags & ACK:
        return packet.delivered <= refused[0].sent
    before = [p.delivered for p in stream.answers if p.delivered <= refused[0].sent]
    return packet.delivered < max(before, default=refused[0].sent)


def succeeded(stream):
    if stream.requests:
        return any(status < "500" and status != "429" for p in stream.of_server if p.delivered for status in p.statuses)
    return bool(stream.answers)


def trend(gaps, pauses):
    """Whether waits grow: each longer by a third at least than the one before, or nearly all equal; else not clear."""
    def grows(waits):
        return all(b >= a * 1.3 for a, b in zip(waits, waits[1:])) and waits[0] > 0
    if grows(gaps) or grows(pauses):
        return "pass"
    steady = [max(waits) <= min(waits) * 1.15 for waits in (gaps, pauses) if min(waits) > 0]
    return "fail" if len(gaps) >= 4 and len(steady) == 2 and all(steady) else "unclear"


def bodies(stream):
    """The body of each request of a connection; None for one that is not known."""
    data, start = {}, stream.first.bytes.start + 1
    for packet in stream.of_client:
        for place, byte in zip(packet.bytes, packet.payload):
            data.setdefault(place - start, byte)
    whole = bytes(data[place] for place in range(len(data)) if place in data)
    found = []
    for _ in stream.requests:
        head, _, rest = whole.partition(b"\r\n\r\n")
        if re.search(rb"(?im)^transfer-encoding:", head):
            return found + [None] * (len(stream.requests) - len(found))
        length = re.search(rb"(?im)^content-length: *(\d+)", head)
        length = int(length[1]) if length else 0
        found.append(rest[:length] if len(rest) >= length else None)
        whole = rest[length:]
    return found


def most_at_once(times, span):
    inside = [(max(begin, span[0]), end) for begin, end in times if begin < span[1] and (end > span[0] or begin >= span[0])]
    return max((sum(b <= begin and (end > begin or b == begin) for b, end in inside) for begin, _ in inside), default=0)
