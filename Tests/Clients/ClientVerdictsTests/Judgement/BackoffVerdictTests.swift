// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import TestKit
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `attempts back off`
struct BackoffVerdictTests {
    /// How a client waits: its wait from the number of the attempt, the wait before, and a share at random.
    private typealias Wait =
        @Sendable (_ number: Int, _ before: Double, _ random: (ClosedRange<Double>) -> Double) -> Double

    private static let growing: [(name: String, wait: Wait)] = [
        ("exponential", { number, _, _ in Double(1 << number) }),
        ("capped", { number, _, _ in min(Double(1 << number), 16) }),
        ("full jitter", { number, _, random in random(0.01...Double(1 << number)) }),
        ("equal jitter", { number, _, random in Double(1 << number) / 2 + random(0...Double(1 << number) / 2) }),
        ("decorrelated jitter", { _, before, random in min(60, random(1...max(before, 1) * 3)) }),
    ]
    private static let steady: [(name: String, wait: Wait)] = [
        ("constant", { _, _, _ in 1 }), ("spread", { _, _, random in random(0.9...1.1) }),
        ("shrinking", { number, _, random in 60 / Double(1 << number) * random(0.9...1.1) }),
    ]

    /// A client whose attempts fail, but for those named.
    private static func verdict(_ count: Int, seed: UInt64, succeeding: Set<Int> = [], _ wait: Wait) throws -> Verdict {
        var generator = SeededGenerator(seed: seed)
        var (run, time, before) = (JudgedRun(), 0.0, 0.0)
        for number in 0..<count {
            let (start, isAnswered) = (Int(time * 1000), succeeding.contains(number))
            try run.connect(at: start, isAccepted: isAnswered, answers: isAnswered ? [start + 40] : [])
            before = wait(number, before) { Double.random(in: $0, using: &generator) }
            time += before
        }
        run.record.end = JudgedRun.at(Int(time * 1000) + 1000)
        return try run.verdict("attempts back off")
    }

    /// Which of 200 clients get which verdict.
    private static func verdicts(_ count: Int, _ wait: Wait) throws -> [Verdict: Int] {
        try (0..<200 as Range<UInt64>).reduce(into: [:]) {
            $0[try verdict(count, seed: $1, wait), default: 0] += 1
        }
    }

    /// Attempts at times in milliseconds, each refused after `refusal`.
    private static func judge(_ times: [Double], refusal: Double = 0.5) throws -> Judgement {
        var run = JudgedRun()
        for time in times {
            let index = try run.connect(at: 0, isAccepted: false)
            let start = JudgedRun.at(0) + .nanoseconds(Int64(time * 1e6))
            let number = run.traffic.connections[index].attempts[0].number
            run.traffic.connections[index].attempts = [ObservedPacket(number: number, sent: start, delivered: start)]
            run.traffic.connections[index].clientPackets = run.traffic.connections[index].attempts
            let end = start + .nanoseconds(Int64(refusal * 1e6))
            let reset = ObservedPacket(number: number + 1000, sent: start, delivered: end)
            run.traffic.connections[index].endings = [Connection.Ending(.reset, by: .server, reset)]
        }
        return try run.judge("attempts back off")
    }

    /// Waits of 2 ms and 6 ms are too uncertain to fit, but their sum is less than any that grow have.
    @Test func failsAStormOfRetries() throws {
        let times: [Double] = (0...60).map { (number: Int) -> Double in Double(number / 2 * 8 + number % 2 * 2) }
        let judgement = try Self.judge(times)
        #expect(judgement.verdict == .fail, "\(judgement)")
        #expect(judgement.finding.hasPrefix("61 attempts to 192.0.2.7:80 in 240 ms, each after"), "\(judgement)")
        // Attempts side by side are no retries, and a few may be of several workers.
        #expect(try !Self.judge(times, refusal: 3000).finding.contains("too fast"))
        #expect(try !Self.judge(Array(times.prefix(20))).finding.contains("too fast"))
        // From 1 ms to 100 ms.
        var (slow, wait) = ([0.0], 1.0)
        for _ in 0..<60 {
            slow.append(slow[slow.count - 1] + wait)
            wait = min(wait * 1.3, 100)
        }
        #expect(try Self.judge(slow).verdict != .fail)
    }

    @Test(arguments: growing.indices, [6, 9, 13])
    func failsNoClientThatBacksOff(index: Int, count: Int) throws {
        let verdicts = try Self.verdicts(count, Self.growing[index].wait)
        #expect(verdicts[.fail] == nil, "\(Self.growing[index].name): \(verdicts)")
        if count == 13 { #expect(verdicts[.pass, default: 0] >= 150, "\(Self.growing[index].name): \(verdicts)") }
    }

    @Test(arguments: steady.indices, [5, 9, 13])
    func passesNoClientThatDoesNot(index: Int, count: Int) throws {
        let verdicts = try Self.verdicts(count, Self.steady[index].wait)
        #expect(verdicts[.pass] == nil, "\(Self.steady[index].name): \(verdicts)")
        if count > 5 { #expect(verdicts == [.fail: 200], "\(Self.steady[index].name): \(verdicts)") }
    }

    /// A wait after a success is no retry.
    @Test func judgesNoPollsThatSucceed() throws {
        #expect(try Self.verdict(6, seed: 1, succeeding: Set(0..<6)) { _, _, _ in 1 } == .inconclusive)
    }

    @Test func judgesTheRetriesAfterASuccess() throws {
        let wait: Wait = { number, _, _ in number == 0 ? 30 : Double(1 << number) }
        #expect(try Self.verdict(7, seed: 1, succeeding: [0], wait) == .pass)
        #expect(try Self.verdict(7, seed: 1, succeeding: [0]) { number, _, _ in number == 0 ? 0.1 : 1 } == .fail)
    }

    /// A client that paused once, as its user did.
    @Test(arguments: [[1, 1, 1, 1, 30, 1, 1, 1, 1], [1, 1, 1, 1, 30]])
    func passesNoSingleLongPause(waits: [Double]) throws {
        #expect(
            try Self.verdict(waits.count + 1, seed: 1) { number, _, _ in waits[min(number, waits.count - 1)] } != .pass
        )
    }

    /// Each attempt takes 30 s to fail, and the wait comes after that.
    @Test(arguments: [
        (first: 1.0, factor: 2.0, attempts: 6, verdict: Verdict.pass), (1, 1, 6, .fail),
        // The first ends are not seen sharply enough for such short pauses.
        (0.15, 2, 6, .pass), (0.05, 2, 5, .inconclusive), (0.001, 1, 20, .fail),
    ])
    func judgesTheWaitsWithoutTheTimeThatAnAttemptTakes(first: Double, factor: Double, attempts: Int, verdict: Verdict)
        throws
    {
        var (run, time, wait) = (JudgedRun(), 0.0, first)
        for _ in 0..<attempts {
            let connection = run.traffic.connections[try run.connect(at: Int(time * 1000), isAccepted: false)]
            time += 30
            run.record.socketChanges.append(
                RunRecord.SocketChange(
                    .asked,
                    of: SocketEnds(connection.client, connection.server),
                    last: JudgedRun.at(Int(time * 1000) - 20),
                    gone: JudgedRun.at(Int(time * 1000))
                )
            )
            time += wait
            wait *= factor
        }
        run.record.end = JudgedRun.at(Int(time * 1000))
        #expect(try run.verdict("attempts back off") == verdict)
    }

    /// A connection that worked for long, and then died, is no failed attempt.
    @Test func takesNoConnectionThatWorkedForAFailure() throws {
        var (run, time) = (JudgedRun(), 100)
        let index = try run.connect(at: 0, answers: [100])
        run.traffic.connections[index].requests = [ObservedRequest(method: "GET", target: "/", packet: run.packet(50))]
        run.traffic.connections[index].requests[0].status = 200
        run.traffic.connections[index].requests[0].completed = run.packet(80)
        run.traffic.connections[index].requests.append(
            ObservedRequest(method: "GET", target: "/", packet: run.packet(90_000))
        )
        for number in 0..<7 {
            try run.connect(at: time * 1000, isAccepted: false)
            time += 1 << number
        }
        run.record.end = JudgedRun.at(time * 1000)
        #expect(try run.verdict("attempts back off") == .pass)
    }

    /// Steady waits at random may grow by chance; of a few, nothing is concluded.
    @Test(arguments: [(5, 2), (6, 10), (9, 10), (13, 10)])
    func passesFewClientsWhoseWaitsAreSpreadWidely(count: Int, maximum: Int) throws {
        let verdicts = try Self.verdicts(count) { _, _, random in random(0.05...2) }
        #expect(verdicts[.pass, default: 0] <= maximum, "\(verdicts)")
    }

    @Test func cannotTellByFewWaitsThatAreSpread() throws {
        let waits = [8.0, 2, 3, 0.5]
        #expect(try Self.verdict(5, seed: 1) { number, _, _ in waits[min(number, 3)] } == .inconclusive)
        #expect(try Self.verdict(5, seed: 1) { _, _, random in random(0.3...3) } == .inconclusive)
    }

    @Test func cannotTellByFewAttempts() throws {
        #expect(try Self.verdict(3, seed: 1) { number, _, _ in Double(1 << number) } == .inconclusive)
        #expect(try Self.verdict(1, seed: 1) { _, _, _ in 1 } == .inconclusive)
    }
}
