// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import TestKit
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Verdicts on a run that goes on: a failure is one that nothing later can change.
struct GoingOnTests {
    /// What is known of a run at a moment.
    private func known(_ run: JudgedRun, at milliseconds: Int) -> JudgedRun {
        var part = run
        let now = JudgedRun.at(milliseconds)
        part.traffic.connections = run.traffic.connections.compactMap { $0.known(at: now) }
        part.record.labels = run.record.labels.filter { $0.begin <= now }
        part.record.stalls = run.record.stalls.filter { $0.end <= now }
        part.record.goOn(after: now, part.traffic)
        return part
    }

    @Test func failsATimeLimitOnlyWhenNoAnswerCanComeInTime() throws {
        var run = JudgedRun()
        try run.connect(at: 0, isAccepted: false)
        for (moment, verdict) in [(1500, Verdict.inconclusive), (2500, .inconclusive), (3500, .fail)] {
            #expect(try known(run, at: moment).verdict("first byte within 2 s") == verdict, "\(moment)")
            #expect(try known(run, at: moment).verdict("completes within 2 s") == verdict, "\(moment)")
        }
    }

    /// A wait for a processor is told when it ends.
    @Test func failsNoTimeLimitThatWaitsExplain() throws {
        var run = JudgedRun()
        run.stall(0, 3000, 3000)
        #expect(try known(run, at: 3500).verdict("completes within 2 s") == .inconclusive)
        #expect(try known(run, at: 6500).verdict("completes within 2 s") == .fail)
    }

    @Test(arguments: ["connections", "connection attempts", "connections at a time"])
    func failsANumberThatIsTooLarge(noun: String) throws {
        var run = JudgedRun()
        for number in 0..<4 { try run.connect(at: 1000 * number, answers: [1000 * number + 100]) }
        #expect(try known(run, at: 2500).verdict("at most 3 \(noun)") == .pass)
        // What is sampled of that moment may still come.
        #expect(try known(run, at: 3100).verdict("at most 3 \(noun)") == .inconclusive)
        let judgement = try known(run, at: 4500).judge("at most 3 \(noun)")
        #expect(judgement.verdict == .fail && !judgement.packets.isEmpty, "\(judgement)")
    }

    /// What the link delays is sent again, and a busy machine delays.
    @Test func failsNoNumberThatABusyMachineMayExplainLater() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [100])
        run.traffic.connections[0].bytes.client = 5000
        let judgement = try known(run, at: 9000).judge("at most 10 bytes")
        #expect(judgement.verdict == .inconclusive, "\(judgement)")
        #expect(judgement.finding.hasSuffix("; that may still change"), "\(judgement)")
    }

    @Test func failsWhatIsStillOpenLongAfterItsLimit() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [100])
        run.label("left", 1000, 10_000, .mark)
        for text in ["closes within 1 s of 'left'", "times out within 1 s of 'left'"] {
            #expect(try known(run, at: 1900).verdict(text) == .inconclusive, "\(text)")
            #expect(try known(run, at: 2900).verdict(text) == .inconclusive, "\(text)")
            let judgement = try known(run, at: 3500).judge(text)
            #expect(judgement.verdict == .fail && judgement.finding.hasSuffix(" is still open"), "\(judgement)")
        }
        #expect(try known(run, at: 9000).verdict("leaves no connection open") == .inconclusive)
        #expect(try known(run, at: 9000).verdict("exits with 0") == .skipped)
    }

    /// A connection that only DNS names may name another host in its first packet.
    @Test func failsNothingAboutANameThatIsNotCertain() throws {
        var run = JudgedRun()
        for number in 0..<3 { try run.connect(at: number * 100) }
        for index in 0..<3 { run.traffic.connections[index].resolvedNames = ["api.test"] }
        let text = "at most 2 connections to api.test"
        #expect(try known(run, at: 5000).verdict(text) == .inconclusive)
        for index in 0..<3 { run.traffic.connections[index].firstRequest = run.packet(400) }
        #expect(try known(run, at: 5000).verdict(text) == .fail)
    }

    /// The promise of --fail-fast: what fails before the end fails at the end, whatever comes in between.
    @Test func neverFailsWhatDoesNotFailAtTheEnd() throws {
        let texts = [
            "at most 3 connections", "at most 2 connections at a time", "at most 2 connection attempts during 'left'",
            "first byte within 1 s", "first byte within 1 s of 'left'", "recovers within 500 ms of 'back'",
            "closes within 1 s of 'left'", "times out within 1 s of 'left'", "attempts back off", "at most 100 bytes",
            "completes within 6 s", "leaves no connection open", "sends no request twice",
        ]
        var failures = 0
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let run = try JudgedRun.random(using: &generator)
            let ends = try texts.map { try run.verdict($0) }
            for moment in stride(from: 500, to: 10_000, by: 410) {
                let known = known(run, at: moment)
                for (text, end) in zip(texts, ends) where try known.verdict(text) == .fail {
                    failures += 1
                    let words = "\(try known.judge(text)), at the end: \(try run.judge(text))"
                    #expect(end == .fail, "seed \(seed), after \(moment) ms: \(words)")
                }
            }
        }
        #expect(failures > 200)
    }

    /// Nothing passes on what a command that was ended might have done, nor does it fail by that.
    @Test func concludesNothingFromTheEndOfACommandThatWasEnded() throws {
        var run = JudgedRun()
        (run.record.outcome, run.record.end) = (.failedFast, JudgedRun.at(5000))
        run.label("back", 4900, 5000, .mark)
        for begin in 0..<4 { try run.connect(at: begin * 100) }
        run.record.openAtEnd = run.traffic.connections.map { RunRecord.OpenSocket(SocketEnds(of: $0)) }
        let verdicts: [(String, Verdict)] = [
            ("at most 3 connections", .fail), ("at most 4 connections", .inconclusive),
            ("first byte within 1 s", .fail), ("recovers within 1 s of 'back'", .inconclusive),
            ("leaves no connection open", .inconclusive), ("exits with 0", .inconclusive),
            ("completes within 4 s", .fail), ("completes within 6 s", .inconclusive),
        ]
        for (text, verdict) in verdicts { #expect(try run.verdict(text) == verdict, "\(text)") }
    }
}

extension JudgedRun {
    /// A client that does anything, on a machine that is sometimes busy.
    fileprivate static func random(using generator: inout SeededGenerator) throws -> JudgedRun {
        var run = JudgedRun()
        func time(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        for _ in 0..<time(1..<7) {
            let begin = time(0..<6000)
            let isAccepted = time(0..<3) > 0
            let answers = (0..<time(0..<3)).map { _ in begin + 50 + time(0..<3000) }.sorted()
            let closed = time(0..<2) > 0 ? begin + time(40..<6000) : nil
            try run.connect(at: begin, isAccepted: isAccepted, answers: isAccepted ? answers : [], closed: closed)
        }
        let left = time(500..<3000)
        let back = left + time(500..<3000)
        run.label("left", left, back)
        run.label("back", back, 10_000)
        // Each is told when it ends.
        for _ in 0..<time(1..<8) {
            let begin = time(0..<9000)
            let length = time(1..<900)
            run.stall(begin, begin + length, time(length / 2..<length + 1))
        }
        // What nothing has ended is open at the end.
        run.record.openAtEnd = run.traffic.connections.filter { $0.accepted != nil && $0.endings.isEmpty }
            .map { RunRecord.OpenSocket(SocketEnds(of: $0)) }
        return run
    }
}

extension Connection {
    /// What had been seen of it at a moment; nil if nothing had.
    fileprivate func known(at now: Instant) -> Connection? {
        var known = self
        known.attempts.removeAll { $0.sent > now }
        guard !known.attempts.isEmpty else { return nil }
        known.clientPackets.removeAll { $0.sent > now }
        known.answers.removeAll { $0.delivered ?? .distantFuture > now }
        known.endings.removeAll { $0.packet.sent > now }
        if let accepted, accepted.delivered ?? .distantFuture > now { known.accepted = nil }
        return known
    }
}
