// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

@Suite struct RunEventTests {
    /// One of each kind.
    private static let kinds: [RunEvent.Kind] = {
        guard let client = Endpoint("10.0.0.1:40000"), let server = Endpoint("[2001:db8::1]:80") else { return [] }
        let socket = SocketEnds(client, server)
        let probe = SocketEnds(client, server, isTCP: false)
        var verdict = RunRecord.MonitorVerdict(
            time,
            "udp://a.test:53",
            peer: Peer("a.test", port: 53),
            status: "degraded",
            isReachable: true,
            reason: "path.loss",
            interval: .seconds(1),
            bound: .milliseconds(3)
        )
        verdict.addresses = ["10.0.0.2"]
        let earlier = Instant(nanoseconds: 7)
        let result = JudgedExpectation(
            expectation: "at most 1 request",
            verdict: .fail,
            finding: "2",
            packets: [4],
            remedy: "a"
        )
        return [
            .begin, .end, .observing(since: earlier), .conditions(profile: "Slow Net"),
            .conditions(profile: "x", by: "python3 (7)"),
            .forwarder("lc-gateway, which carries the uplink", .stopped),
            .forwarder("lc-gateway", .ended), .forwarder("lc-gateway", .continued),
            .recorded(CaptureDigest.Value(length: 9, checksum: 1 << 60)),
            .step("lift", profile: "Black Hole"), .step("lift", profile: nil),
            .step("lost", profile: "LTE", changes: ["link down", "address 10.0.2.101"]),
            .failed("lift", reason: "no \"x\""),
            .missed("out", waitingFor: "10 kB"),
            .missed("out", waitingFor: nil), .mark("typed \u{1B}"), .sampling(every: .milliseconds(25)),
            .asked(socket, last: earlier), .closed(socket, last: earlier),
            .owner(socket, "curl (7)", SocketHolder(7, below: [5, 4], mark: 4)),
            .open(socket, owner: "curl (7)"), .older(socket, owner: nil), .sampled,
            .busy(from: earlier, waited: .milliseconds(2)), .monitor(verdict), .probe(socket), .probe(probe), .cut,
            .timeOfDaySet(by: .seconds(-3600)), .judged(TestVerdicts("a[\"é\"]", from: earlier, to: time, [result])),
            .judged(TestVerdicts(nil, from: earlier, to: time, [])),
            .part(ConditionsPart("step 'cut'", packets: 0, reason: "so", isRequestedInside: true)),
            .part(ConditionsPart("fault 1", packets: 3, reason: nil)), .removed(socket, last: earlier), .off(),
            .off(by: "curl (7)"), .on(profile: nil), .on(profile: "x", by: "curl (7)"),
        ]
    }()

    private static let time = Instant(nanoseconds: 1_795_373_623_300_395_725)

    @Test(arguments: kinds)
    func readsWhatItWrites(kind: RunEvent.Kind) throws {
        let event = RunEvent(Self.time, kind)
        #expect(event.line.count { $0 == UInt8(ascii: "\n") } == 1 && event.line.last == UInt8(ascii: "\n"))
        #expect(try RunEvent(parsing: try JSON(utf8: event.line)) == event)
    }

    /// The bytes of the record, which other programs read.
    @Test(arguments: [
        (0, #"{ "time": 5, "event": "begin" }"#), (2, #"{ "time": 5, "event": "observing", "since": 7 }"#),
        (4, #"{ "time": 5, "event": "conditions", "profile": "x", "by": "python3 (7)" }"#),
        (5, #"{ "time": 5, "event": "carrier", "role": "lc-gateway, which carries the uplink", "state": "stopped" }"#),
        (8, #"{ "time": 5, "event": "recorded", "length": 9, "checksum": 1152921504606846976 }"#),
        (10, #"{ "time": 5, "event": "step", "label": "lift" }"#),
        (
            11,
            #"{ "time": 5, "event": "step", "label": "lost", "profile": "LTE", "changes": "#
                + #"["link down", "address 10.0.2.101"] }"#
        ),
        (12, #"{ "time": 5, "event": "failed", "label": "lift", "reason": "no \"x\"" }"#),
        (13, #"{ "time": 5, "event": "missed", "label": "out", "for": "10 kB" }"#),
        (15, ##"{ "time": 5, "event": "mark", "name": "typed \u001b" }"##),
        (16, #"{ "time": 5, "event": "sampling", "every": 25000000 }"#),
        (17, #"{ "time": 5, "event": "asked", \#(ends), "last": 7 }"#),
        (18, #"{ "time": 5, "event": "closed", \#(ends), "last": 7 }"#),
        (
            19,
            #"{ "time": 5, "event": "owner", \#(ends), "owner": "curl (7)", "#
                + #""holder": { "process": 7, "ancestors": [5, 4], "mark": 4 } }"#
        ),
        (20, #"{ "time": 5, "event": "open", \#(ends), "owner": "curl (7)" }"#),
        (21, #"{ "time": 5, "event": "older", \#(ends) }"#),
        (23, #"{ "time": 5, "event": "busy", "from": 7, "waited": 2000000 }"#),
        (
            24,
            #"{ "time": 5, "event": "monitor", "target": "udp://a.test:53", "peer": "a.test:53", "addresses": "#
                + #"["10.0.0.2"], "status": "degraded", "reachable": true, "reason": "path.loss", "#
                + #""interval": 1000000000, "bound": 3000000 }"#
        ),
        (25, #"{ "time": 5, "event": "probe", \#(ends), "transport": "tcp" }"#),
        (26, #"{ "time": 5, "event": "probe", \#(ends), "transport": "udp" }"#),
        (28, #"{ "time": 5, "event": "timeOfDaySet", "by": -3600000000000 }"#),
        (
            29,
            #"{ "time": 5, "event": "judged", "test": "a[\"é\"]", "begin": 7, "end": 1795373623300395725, "#
                + #""expectations": [{ "expectation": "at most 1 request", "verdict": "fail", "finding": "2", "#
                + #""packets": [4], "remedy": "a" }] }"#
        ),
        (
            31,
            #"{ "time": 5, "event": "part", "part": "step 'cut'", "packets": 0, "reason": "so", "ofCommand": true }"#
        ),
        (35, #"{ "time": 5, "event": "off", "by": "curl (7)" }"#),
        (37, #"{ "time": 5, "event": "on", "profile": "x", "by": "curl (7)" }"#),
    ])
    func keepsItsBytes(kind: Int, line: String) {
        let event = RunEvent(Instant(nanoseconds: 5), Self.kinds[kind])
        #expect(String(decoding: event.line, as: UTF8.self) == line + "\n")
    }

    private static let ends = #""client": "10.0.0.1:40000", "server": "[2001:db8::1]:80""#

    @Test func readsEveryKindThatItWrites() {
        let names = Set(Self.kinds.compactMap { RunEvent(Self.time, $0).written["event"].flatMap { String(json: $0) } })
        #expect(names.count == 27 && names.allSatisfy { RunEvent.Kind.blanks[$0] != nil })
    }

    /// Without one of its members, an event is read without it or not at all.
    @Test(arguments: kinds)
    func passesOverWhatIsIncomplete(kind: RunEvent.Kind) throws {
        let json = try JSON(utf8: RunEvent(Self.time, kind).line)
        for name in json.members.map(\.name) {
            let rest = json.members.filter { $0.name != name }.map { ($0.name, Optional($0.value)) }
            do {
                _ = try RunEvent(parsing: JSON(members: rest))
            } catch {
                #expect(error == .incomplete, "without \(name)")
            }
        }
    }

    @Test func namesWhatItDoesNotKnow() throws {
        let json = try JSON(utf8: Array(#"{"time": 1, "event": "eclipse", "name": "x"}"#.utf8))
        #expect(throws: RunEvent.Problem.unknown("eclipse")) { try RunEvent(parsing: json) }
        let record = RunRecord(
            events: Array("\(json.line)\n\(json.line)\n".utf8),
            started: Self.time,
            ended: Self.time,
            outcome: .exited(0)
        )
        #expect(record.unknownEvents == ["eclipse"])
    }
}
