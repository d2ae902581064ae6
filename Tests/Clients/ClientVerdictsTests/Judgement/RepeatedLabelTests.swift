// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Labels that were set many times.
@Suite struct RepeatedLabelTests {
    private static let expectations = [
        "at most 1 connection during 'm'", "at most 2 connection attempts to 192.0.2.7:80 during 'm'",
        "at most 100 bytes during 'm'", "at most 0 DNS queries during 'm'", "first byte within 300 ms of 'm'",
        "recovers within 700 ms of 'm'", "recovers within 10 s of 'm'", "times out within 400 ms of 'm'",
        "closes within 500 ms of 'm'", "attempts back off during 'm'",
    ]

    /// The verdict on all is the worst of those on each, whatever was before and after it.
    @Test(arguments: expectations)
    func areJudgedEachByWhatHappenedThen(text: String) throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let run = try Self.random(&generator)
            let each = try run.record.labels.map { label in
                var one = run
                one.record.labels = [label]
                return try one.judge(text)
            }
            let worst = Verdict.worst(of: each.map(\.verdict))
            let judgement = try run.judge(text)
            #expect(judgement == each.first { $0.verdict == worst }, "\(run)")
        }
    }

    /// Each with all connections took minutes for five thousand.
    @Test(arguments: expectations)
    func takeTheTimeOfTheirOwnConnections(text: String) throws {
        let growth = try ProcessorTime.growth(from: 1000) { count in
            var run = JudgedRun()
            for number in 0..<count {
                let begin = number * 1000
                try run.connect(at: begin, answers: [begin + 200, begin + 400], closed: begin + 450)
                run.label("m", begin, begin + 1000, .mark)
            }
            run.record.end = JudgedRun.at(count * 1000)
            return run
        } of: { run in
            _ = try run.judge(text)
        }
        #expect(growth < ProcessorTime.proportion)
    }

    private static func random(_ generator: inout SeededGenerator) throws -> JudgedRun {
        var run = JudgedRun()
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let begin = Int.random(in: 0...9000, using: &generator)
            let length = Int.random(in: 30...4000, using: &generator)
            let isAccepted = Int.random(in: 0...3, using: &generator) > 0
            let answers = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                begin + Int.random(in: 30...length + 30, using: &generator)
            }
            let place = try run.connect(
                at: begin,
                port: [80, 81].randomElement(using: &generator) ?? 80,
                isAccepted: isAccepted,
                answers: answers.sorted(),
                closed: isAccepted && Bool.random(using: &generator) ? begin + length : nil
            )
            let piece = JudgedRun.at(begin - begin % 10)
            run.traffic.connections[place].volume = [Volume(piece, SideCounts(client: 60, server: 60))]
            if Bool.random(using: &generator) {
                run.traffic.nameQueries.append(NameQuery(name: "a", type: 1, packet: run.packet(begin)))
            }
        }
        let count = Int.random(in: 2...6, using: &generator)
        let times = (0..<count).map { _ in Int.random(in: 0...9999, using: &generator) }.sorted()
        for (begin, end) in zip(times, times.dropFirst()) { run.label("m", begin, end, .mark) }
        return run
    }
}

@Suite struct TimeIndexTests {
    @Test func findsWhatOverlaps() {
        var generator = SeededGenerator(seed: 2)
        func times() -> ClosedRange<Instant> {
            let begin = Int64.random(in: 0...50, using: &generator)
            let length = Int64.random(in: 0...20, using: &generator)
            return Instant(nanoseconds: begin)...Instant(nanoseconds: begin + length)
        }
        for count in 0..<100 {
            let all = (0..<count).map { _ in times() }
            let index = TimeIndex(all)
            for _ in 0..<20 {
                let wanted = times()
                #expect(index.overlapping(wanted) == all.indices.filter { all[$0].overlaps(wanted) })
            }
        }
    }
}
