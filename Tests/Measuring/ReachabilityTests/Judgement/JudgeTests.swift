// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing
@testable import Reachability

@Suite struct JudgeTests {
    /// A judge that is given a finding every second.
    private struct Course {
        var judge: Judge
        var changeReporter: ChangeReporter
        var now = Duration.zero
        var changes: [ChangeReporter.Change] = []

        init(_ policy: Policy = Policy()) {
            judge = Judge(policy, at: .zero)
            changeReporter = ChangeReporter(policy, judge.verdict)
        }

        mutating func see(_ finding: Observation.Finding, times: Int = 1) {
            for _ in 0..<times {
                judge.add(finding, at: now)
                report()
                now += .seconds(1)
            }
        }

        mutating func report() {
            if let change = changeReporter.update(judge.verdict, at: now) { changes.append(change) }
        }

        var isFlapping: Bool { changeReporter.reported.isFlapping }

        var states: [PathVerdict.State] { changes.map(\.to.state) }
    }

    private static let answer = Observation.Finding.answered(.milliseconds(10))
    private static let silence = Observation.Finding.failed(.blackHole)

    @Test func beginsWithoutKnowing() {
        #expect(Judge(at: .seconds(5)).verdict.state == .unknown)
        #expect(Judge(at: .seconds(5)).verdict.since == .seconds(5))
    }

    @Test func believesTheFirstAnswerAtOnce() {
        var course = Course()
        course.see(Self.answer)
        #expect(course.states == [.reachable])
    }

    @Test func takesThreeSilencesForAnOutageThatBeganWithTheFirst() throws {
        var course = Course()
        course.see(Self.answer, times: 5)
        course.see(Self.silence, times: 2)
        #expect(course.states == [.reachable])
        course.see(Self.silence, times: 4)
        #expect(course.states == [.reachable, .unreachable])
        #expect(course.judge.verdict.reason == .blackHole)
        #expect(course.judge.verdict.since == .seconds(5))
        course.see(Self.answer)
        #expect(course.states.count == 2)
        course.see(Self.answer)
        #expect(course.states == [.reachable, .unreachable, .reachable])
        let change = try #require(course.changes.last)
        #expect(change.to.since - change.from.since == .seconds(6))
    }

    @Test func forgivesWhatDoesNotLast() {
        var course = Course()
        course.see(Self.answer, times: 60)
        for _ in 0..<3 {
            course.see(Self.silence, times: 1)
            course.see(Self.answer, times: 30)
        }
        #expect(course.states == [.reachable])
    }

    @Test func believesTheKernelAtOnce() {
        var course = Course()
        course.see(Self.answer)
        course.see(.impossible(.noCarrier))
        #expect(course.states == [.reachable, .unreachable])
        #expect(course.judge.verdict.reason == .noCarrier)
    }

    @Test func neverHoldsItsOwnTroubleAgainstTheTarget() {
        var course = Course()
        course.see(Self.answer)
        course.see(.nothing(.resources), times: 100)
        #expect(course.states == [.reachable])
        #expect(course.judge.obstacle == .resources)
        course.see(Self.answer)
        #expect(course.judge.obstacle == nil)
    }

    /// Probes overlap where answers may take longer than the interval.
    @Test func isNotConfusedByLossesOlderThanAnAnswer() {
        var course = Course()
        course.see(Self.silence, times: 5)
        course.see(Self.answer, times: 2)
        for _ in 0..<4 { course.judge.add(Self.silence, at: .seconds(4)) }
        #expect(course.judge.verdict.isReachable)
    }

    @Test func tellsWhenTheReasonChanges() {
        var course = Course()
        course.see(Self.silence, times: 3)
        course.see(.failed(.refused))
        #expect(course.states == [.unreachable, .unreachable])
        #expect(course.changes.map(\.to.reason) == [.blackHole, .refused])
        #expect(course.judge.verdict.since == .zero)
    }

    @Test func callsALossyTargetDegradedAndTakesItBackSlowly() {
        var course = Course()
        course.see(Self.answer, times: 30)
        for _ in 0..<4 {
            course.see(Self.silence)
            course.see(Self.answer, times: 4)
        }
        #expect(course.states == [.reachable, .degraded])
        #expect(course.judge.verdict.reason == .loss)
        course.see(Self.answer, times: 50)
        #expect(course.judge.verdict.state == .degraded)
        course.see(Self.answer, times: 30)
        #expect(course.states == [.reachable, .degraded, .reachable])
    }

    @Test func callsASlowTargetDegraded() {
        var course = Course()
        course.see(.answered(.milliseconds(300)), times: 2)
        #expect(course.judge.verdict.state == .degraded)
        #expect(course.judge.verdict.reason == .latency)
        course.see(Self.answer, times: 70)
        #expect(course.judge.verdict.state == .reachable)
    }

    @Test func knowsNothingWhenEvidenceIsTooOld() {
        var course = Course()
        course.see(Self.answer)
        course.judge.wait(until: .seconds(7))
        #expect(course.judge.verdict.state == .reachable)
        course.judge.wait(until: .seconds(8))
        #expect(course.judge.verdict.state == .unknown)
        #expect(course.judge.verdict.reason == .stale)
        course.now = .seconds(60)
        course.see(Self.answer)
        #expect(course.judge.verdict.state == .reachable)
    }

    @Test func probesFasterWhileItHangsInTheBalance() {
        var course = Course()
        #expect(course.judge.interval == .milliseconds(500))
        course.see(Self.answer)
        #expect(course.judge.interval == .seconds(2))
        course.see(Self.silence)
        #expect(course.judge.interval == .milliseconds(500))
        course.see(Self.silence, times: 2)
        #expect(course.judge.interval == .seconds(5))
        course.see(Self.answer)
        #expect(course.judge.interval == .milliseconds(500))
    }

    @Test func saysOnceThatATargetFlaps() {
        var course = Course()
        course.see(Self.answer)
        for _ in 0..<20 {
            course.see(.impossible(.noCarrier))
            course.see(Self.answer, times: 2)
        }
        #expect(course.isFlapping)
        #expect(course.changes.count < 8)
        #expect(course.changes.last?.to.isFlapping == true)
        course.see(Self.answer, times: 125)
        #expect(course.changes.last?.to.isFlapping == false)
        #expect(course.changes.last?.to.state == .reachable)
    }

    /// Whatever comes, what is told leads from one verdict to the next, and the last one told is the one that holds.
    @Test func tellsEveryChangeFromTheOneBefore() {
        var seed: UInt64 = 42
        func random(_ bound: UInt64) -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (seed >> 33) % bound
        }
        for _ in 0..<200 {
            var course = Course()
            for _ in 0..<300 {
                switch random(6) {
                case 0, 1, 2: course.see(.answered(.milliseconds(Int(random(400)))), times: Int(random(9)))
                case 3: course.see(Self.silence, times: Int(random(6)))
                case 4: course.see(.impossible(.noRoute))
                default: course.see(.nothing(.permission))
                }
            }
            for (one, next) in zip(course.changes, course.changes.dropFirst()) {
                #expect(next.from == one.to)
                #expect(next.to.generation >= one.to.generation)
            }
            if !course.isFlapping {
                #expect(course.changes.last?.to.state == course.judge.verdict.state)
                #expect(course.changes.last?.to.reason == course.judge.verdict.reason)
            }
        }
    }
}
