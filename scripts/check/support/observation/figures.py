# SPDX-License-Identifier: Apache-2.0
"""What tshark's analysis says of the packets of one run, as a list of connections. Independent of linkcond's reading,
but for the fate and the delay of a packet, which only its comment in the capture tells.

tshark reads the packets in the order of sending (sent_order.py), where each segment that is behind the highest number of
its side was sent before: whatever tshark takes it for (a retransmission, a fast or a spurious one, or out of order), it is
a retransmission."""

import functools
import re
import subprocess
import tempfile

from sent_order import nanoseconds as of_comment
from sent_order import rewrite

AGAIN = ["retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order"]
FIELDS = [
    "frame.number", "tcp.stream", "tcp.srcport", "tcp.dstport", "tcp.flags", "ip.src", "ipv6.src", "ip.dst", "ipv6.dst",
    "ip.len", "ipv6.plen", "http.request.method", "http.request.uri", "dns.flags.response", "dns.qry.name", "dns.qry.type",
    "dns.id", "frame.time_epoch", "tls.handshake.extensions_server_name", "tcp.len", "tcp.seq_raw", "tcp.ack_raw",
    "tcp.payload", "tcp.analysis.keep_alive", "udp.stream", "udp.srcport", "udp.dstport", "frame.protocols",
    "http2.headers.method", "http.response.code", "tls.handshake.type", "http2.magic", *(f"tcp.analysis.{name}" for name in AGAIN),
]
FIN, SYN, RST, ACK = 1, 2, 4, 16
# A request counts when its head is sent, not when its body is whole.
HEADS = ["-o", "http.desegment_body:FALSE"]
NEVER = float("inf")


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
    return f"{address}:{packet[f'tcp.{side}port'] or packet[f'udp.{side}port']}"


def nanoseconds(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0")[:9])


class Packet:
    def __init__(self, fields, number, comment, captured):
        self.number = number
        self.sent = nanoseconds(fields["frame.time_epoch"])
        self.delivered = None
        if "fate=passed" in comment or "fate=duplicate" in comment:
            # Packets to the client stand in the capture at the time of their delivery.
            to_client = "lane=downlink" in comment
            self.delivered = captured[number] if to_client else self.sent + of_comment(comment, "delay")
        self.flags = int(fields["tcp.flags"] or "0", 16)
        self.size = int(fields["ip.len"] or int(fields["ipv6.plen"]) + 40)
        self.protocols = fields["frame.protocols"].split(":")
        self.methods2 = list(filter(None, fields["http2.headers.method"].split(",")))
        self.statuses = list(filter(None, fields["http.response.code"].split(",")))
        if fields["udp.stream"]:
            return
        self.speaks_tls = bool(fields["tls.handshake.type"])
        self.server_name = fields["tls.handshake.extensions_server_name"]
        self.bytes = range(int(fields["tcp.seq_raw"]), int(fields["tcp.seq_raw"]) + int(fields["tcp.len"]))
        self.again = any(fields[f"tcp.analysis.{name}"] for name in AGAIN)
        self.keeps_alive = bool(fields["tcp.analysis.keep_alive"])
        self.acknowledges = int(fields["tcp.ack_raw"]) if self.flags & ACK else None
        self.methods = list(filter(None, fields["http.request.method"].split(",")))
        self.targets = list(filter(None, fields["http.request.uri"].split(",")))
        # With "http.desegment_body:FALSE" tshark takes a request that follows a body for more of that.
        self.payload = payload = bytes.fromhex(fields["tcp.payload"].replace(":", ""))
        request = re.match(rb"(GET|HEAD|POST|PUT|DELETE|OPTIONS|CONNECT) (\S+) HTTP/1\.[01]\r\n", payload)
        if request and not self.methods and not self.again:
            self.methods, self.targets = [request[1].decode()], [request[2].decode()]
        # The body of an answer before it hides a head from tshark's dissector.
        self.heads = [self.bytes[found.start()] for found in re.finditer(rb"HTTP/1\.[01] \d\d\d ", payload)]

    def is_repetition(self, others):
        """tshark takes for a keep-alive whatever sends the last byte alone again. It is one if that had been confirmed."""
        if not self.keeps_alive:
            return self.again
        last = self.bytes.stop
        return bool(self.bytes) and not any(
            p.acknowledges is not None and p.acknowledges >= last and p.delivered and p.delivered <= self.sent
            for p in others
        )


class Stream:
    """A TCP connection as tshark tells them apart."""

    def __init__(self, client, server):
        self.client, self.server = client, server
        self.of_client, self.of_server = [], []
        # What the link made of the server's packets: of all copies, the first to arrive tells.
        self.copies = []

    def finish(self):
        """Sums the packets up."""
        opening = [packet for packet in self.of_client if packet.flags & SYN and not packet.flags & ACK]
        self.attempts = opening
        self.first = opening[0] if opening else None
        accepting = [packet for packet in self.of_server + self.copies if packet.flags & SYN and packet.flags & ACK]
        self.accepted = min((p for p in accepting if p.delivered), key=lambda p: p.delivered, default=None)
        sides = {"client": (self.of_client, self.of_server), "server": (self.of_server, self.of_client)}
        self.again = {side: [p for p in own if p.is_repetition(other)] for side, (own, other) in sides.items()}
        self.size = {side: sum(packet.size for packet in own) for side, (own, _) in sides.items()}
        self.packets = {side: len(own) for side, (own, _) in sides.items()}
        self.names = {packet.server_name for packet in self.of_client + self.of_server if packet.server_name}
        # tshark takes a head that is sent again for another, where it fails to put together what came before it.
        self.requests, begun = [], set()
        for packet in self.of_client:
            if packet.methods and not (packet.again and packet.bytes.start in begun):
                begun.add(packet.bytes.start)
                self.requests += [(packet, m, t) for m, t in zip(packet.methods, packet.targets)]
        self.answers, known = [], set()
        arrived = sorted((p for p in self.of_server + self.copies if p.delivered and p.bytes), key=lambda p: p.delivered)
        for packet in arrived:
            if not known.issuperset(packet.bytes) and not packet.flags & RST:
                self.answers.append(packet)
                known.update(packet.bytes)
        # An answer has come when its first byte has, whichever packet brought it.
        self.answered = len({head for packet in self.of_server for head in packet.heads if head in known})
        self.endings = {}
        for kind, flag in (("finish", FIN), ("reset", RST)):
            for side, packets in (("client", self.of_client), ("server", self.of_server + self.copies)):
                ends = [p for p in packets if p.flags & flag and not (kind == "finish" and p.flags & RST)]
                # One of the server's is lost, and sent again, perhaps: the first to arrive tells the client.
                came = [p for p in ends if p.delivered] if side == "server" else []
                self.endings[kind, side] = min(came, key=lambda p: p.delivered) if came else next(iter(ends), None)

    def life(self, events):
        """(begin, earliest end, latest end) for the client, and the packet that ended it."""
        ended = min(filter(None, (self.endings[kind, "client"] for kind in ("finish", "reset"))),
                    key=lambda p: p.sent, default=None)
        reset = self.endings["reset", "server"]
        begin, last = self.first.sent, self.of_client[-1].sent
        refused = reset.delivered if reset and reset.delivered else NEVER
        # No packet tells when a process gives an attempt up, or closes a socket whose data the kernel has still to send.
        asked = events.asked(self.client, self.server, begin)
        if asked and asked[1] < min(self.accepted.delivered if self.accepted else NEVER, refused):
            last = max((p.sent for p in self.of_client if p.sent <= asked[1]), default=begin)
            return begin, max(asked[0], last), asked[1], None
        closed = events.closed(self.client, self.server, begin)
        if closed and closed[1] < min(ended.sent if ended else NEVER, refused):
            return begin, max(closed[0], begin), closed[1], None
        if ended and (not reset or not reset.delivered or ended.sent <= reset.delivered):
            return begin, ended.sent, ended.sent, ended
        if reset and reset.delivered:
            return begin, reset.delivered, reset.delivered, None
        if events.is_open(self.client, self.server):
            return begin, NEVER, NEVER, None
        if self.accepted:
            return begin, min(last, events.end), events.end, None
        return begin, last, max(events.end, last), None


class Flow:
    """The packets of UDP between two ends; the first packet's sender is the client."""

    def __init__(self, client, server):
        self.client, self.server, self.all = client, server, []

    def finish(self):
        self.is_quic = any("quic" in packet.protocols for packet, _ in self.all)
        self.first = self.all[0][0]
        self.answers = [p for p, by_client in self.all if not by_client and p.delivered]
        self.last = max(p.sent for p, by_client in self.all if by_client)
        self.all = [packet for packet, _ in self.all]


def flows(capture, packets):
    """The flows of UDP of the sent packets."""
    captured, found = capture_times(capture), {}
    for fields, number, comment in packets:
        if fields["udp.stream"]:
            source = endpoint(fields, "src")
            flow = found.setdefault(fields["udp.stream"], Flow(source, endpoint(fields, "dst")))
            flow.all.append((Packet(fields, number, comment, captured), source == flow.client))
    for flow in found.values():
        flow.finish()
    return list(found.values())


@functools.cache
def captured_packets(capture):
    """The fields of each packet, in the order of the capture."""
    return tshark(capture, [*FIELDS, "frame.comment"])


def capture_times(capture):
    return {int(p["frame.number"]): nanoseconds(p["frame.time_epoch"]) for p in captured_packets(capture)}


def sent_packets(capture, options=()):
    """The fields of each packet, in the order of sending, with its number in the capture and its comment."""
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as ordered:
        origin = rewrite(capture, ordered.name)
        return [(fields, *origin[int(fields["frame.number"]) - 1]) for fields in tshark(ordered.name, FIELDS, options)]


def streams(capture, packets):
    """The connections of the sent packets, in the order of their first packets."""
    captured, found = capture_times(capture), {}
    for fields, number, comment in packets:
        if not fields["tcp.stream"]:
            continue
        packet = Packet(fields, number, comment, captured)
        source = endpoint(fields, "src")
        stream = found.setdefault(fields["tcp.stream"], Stream(source, endpoint(fields, "dst")))
        (stream.of_client if source == stream.client else stream.of_server).append(packet)
    for fields in captured_packets(capture):
        if "fate=duplicate" in fields["frame.comment"] and "lane=downlink" in fields["frame.comment"] and fields["tcp.stream"]:
            copy = Packet(fields, int(fields["frame.number"]), fields["frame.comment"], captured)
            copy.sent -= of_comment(fields["frame.comment"], "delay")
            ends = (endpoint(fields, "dst"), endpoint(fields, "src"))
            began = [s for s in found.values() if (s.client, s.server) == ends and s.of_client[0].sent < copy.sent]
            if began:
                began[-1].copies.append(copy)
    for stream in found.values():
        stream.finish()
    return list(found.values())
