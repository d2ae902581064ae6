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
            expectation: "at most 1 requests",
            verdict: .fail,
            finding: "2",
            packets: [4],
            remedy: "a"
        )
        return [
            .begin, .end, .observing(since: earlier), .conditions(profile: "Slow Net"),
            .conditions(profile: "x", by: "python3 (7)"), .carrier("lc-gateway, which carries the uplink", .stopped),
            .carrier("lc-gateway", .ended), .carrier("lc-gateway", .continued),
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
        ]
    }()

    private static let time = Instant(nanoseconds: 1_795_373_623_300_395_725)

    @Test(arguments: kinds)
    func readsWhatItWrites(kind: RunEvent.Kind) throws {
        let event = RunEvent(Self.time, kind)
        #expect(event.line.count { $0 == UInt8(ascii: "\n") } == 1 && event.line.last == UInt8(ascii: "\n"))
        #expect(try RunEvent(json: try JSON(utf8: event.line)) == event)
    }

    /// Without one of its members, an event is read without it or not at all.
    @Test(arguments: kinds)
    func passesOverWhatIsIncomplete(kind: RunEvent.Kind) throws {
        let json = try JSON(utf8: RunEvent(Self.time, kind).line)
        for name in json.members.map(\.name) {
            let rest = json.members.filter { $0.name != name }.map { ($0.name, Optional($0.value)) }
            do {
                _ = try RunEvent(json: JSON(members: rest))
            } catch {
                #expect(error == .incomplete, "without \(name)")
            }
        }
    }

    @Test func namesWhatItDoesNotKnow() throws {
        let json = try JSON(utf8: Array(#"{"time": 1, "event": "eclipse", "name": "x"}"#.utf8))
        #expect(throws: RunEvent.Problem.unknown("eclipse")) { try RunEvent(json: json) }
        let record = RunRecord(
            events: Array("\(json.line)\n\(json.line)\n".utf8),
            started: Self.time,
            ended: Self.time,
            outcome: .exited(0)
        )
        #expect(record.unknownEvents == ["eclipse"])
    }
}
