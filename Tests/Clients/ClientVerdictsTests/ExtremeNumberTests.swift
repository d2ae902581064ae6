// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import TestKit
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Numbers of files, events and options that are as large as they can be.
@Suite struct ExtremeNumberTests {
    private static let numbers: [Int64] = [
        .min, .min + 1, -9_000_000_000_000_000_000, -1 << 61, -1, 0, 1, 65_536, 1 << 61, 1 << 62, .max - 1, .max,
    ]

    private static let expectations = [
        "completes within 365 d", "completes within 1 ms", "first byte within 2 s", "first byte within 365 d of 'm'",
        "times out within 365 d of 'm'", "closes within 1 s of 'm'", "recovers within 365 d of 'm'",
        "at most 9223372036854775807 bytes during 'm'", "at most 0 connections during 'm'",
        "at most 0 connection attempts during 'm'", "at most 0 retransmissions", "attempts back off during 'm'",
        "sends keep-alives at least every 1 s", "uses IPv4 within 1 s", "migrates within 1 s of 'm'", "resumes",
        "falls back to TCP within 1 s", "asks DNS again within 1 s of 'm'",
        "leaves no connection open", "monitor agrees", "sends no request twice",
    ]

    private func traffic(_ generator: inout SeededGenerator) -> ObservedTraffic {
        func number() -> Int64 { Self.numbers.randomElement(using: &generator) ?? 0 }
        var reader = TrafficReader()
        reader.add(.section(application: nil))
        reader.add(.interface(CapturedInterface("lo", .raw)))
        let flags: [TCPHeader.Flags] = [.syn, .answer, .data, .end, [.reset]]
        for _ in 0..<60 {
            var packet = TestPacket(isFromClient: Bool.random(using: &generator))
            packet.flags = flags.randomElement(using: &generator)
            packet.sequence = UInt32(truncatingIfNeeded: number())
            packet.payload = packet.flags == .data ? [1, 2, 3] : []
            var captured = CapturedPacket(time: number(), bytes: packet.bytes)
            captured.length = Int(UInt32(clamping: number()))
            captured.lostBefore = UInt64(bitPattern: number())
            let lane = packet.isFromClient ? "uplink" : "downlink"
            let fates: [Fate] = [.passed, .duplicate, .corrupted, .marked, .dropped(nil)]
            let fate = fates.randomElement(using: &generator) ?? .passed
            let time = "\(number() / 1_000_000).999999ms"
            captured.comments = ["lane=\(lane) fate=\(fate.name) due=\(time) delay=\(time) packets=\(number())"]
            reader.add(.packet(captured))
            if Bool.random(using: &generator) {
                captured.comments = ["lane=\(lane) fate=dropped reason=loss packets=\(number())"]
                reader.add(.packet(captured))
            }
        }
        return reader.read()
    }

    private func record(_ generator: inout SeededGenerator) -> RunRecord {
        func number() -> Int64 { Self.numbers.randomElement(using: &generator) ?? 0 }
        let ends = #""client": "10.0.0.1:50000", "server": "192.0.2.7:80""#
        let lines = [
            #""event": "begin""#, #""event": "mark", "name": "m""#, #""event": "step", "label": "m""#,
            #""event": "asked", \#(ends), "last": \#(number())"#, #""event": "closed", \#(ends), "last": \#(number())"#,
            #""event": "removed", \#(ends), "last": \#(number())"#,
            #""event": "busy", "from": \#(number()), "waited": \#(number())"#, #""event": "mark", "name": "m""#,
            #""event": "sampling", "every": \#(number())"#, #""event": "open", \#(ends)"#,
            #""event": "monitor", "target": "tcp://192.0.2.7:80", "peer": "192.0.2.7:80", "status": "unreachable", "#
                + #""reachable": false, "interval": \#(number()), "bound": \#(number())"#,
            #""event": "end""#,
        ]
        let text = lines.map { "{\"time\": \(number()), \($0)}\n" }.joined()
        let (started, ended) = (Instant(nanoseconds: number()), Instant(nanoseconds: number()))
        return RunRecord(events: Array(text.utf8), started: started, ended: ended, outcome: .exited(0))
    }

    @Test func judgesWhateverTheNumbersAre() throws {
        let expectations = try Self.expectations.map { try ClientExpectation(parsing: $0) }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let traffic = traffic(&generator)
            var record = record(&generator)
            for expectation in expectations {
                _ = ClientJudge(JudgedTraffic(traffic, of: record), record).judge(expectation)
            }
            record.limit(to: Instant(nanoseconds: Self.numbers.randomElement(using: &generator) ?? 0), record.end)
            for expectation in expectations {
                _ = ClientJudge(JudgedTraffic(traffic, of: record), record).judge(expectation)
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "65537", "0", "-1", "9999999999999999999", "x"])
    func takesNoCommentWithAnImpossibleNumberOfPackets(count: String) {
        #expect(PacketFate(comment: "lane=uplink fate=dropped reason=loss packets=\(count)") == nil)
        #expect(PacketFate(comment: "lane=uplink fate=dropped reason=loss packets=65536")?.packets == 65_536)
    }

    @Test func saturatesTimes() {
        let (first, last) = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))
        #expect(last + .seconds(1) == last && first + .seconds(-1) == first)
        #expect(last - first == .nanoseconds(Int64.max) - .nanoseconds(Int64.min))
        #expect(Duration.seconds(Int64.max).nanoseconds == .max && Duration.seconds(Int64.min).nanoseconds == .min)
        #expect((last - first).nanoseconds == .max && (first - last).nanoseconds == .min)
    }
}
