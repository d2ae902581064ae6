// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketPump

@Suite struct PumpHeartbeatTests {
    /// How often it asks until it says that the pump has stopped, a question a second; nil if it never says so.
    private static func questions(_ answers: [Bool]) -> Int? {
        nonisolated(unsafe) var asked = 0
        var heartbeat = PumpHeartbeat {
            asked += 1
            return answers[min(asked, answers.count) - 1]
        }
        for second in 0..<60 where heartbeat.hasStopped(at: .seconds(second)) { return asked }
        return nil
    }

    @Test func endsAfterThreeQuestionsWithoutAnAnswer() {
        #expect(Self.questions([false]) == 3)
        #expect(Self.questions([true, true, false]) == 5)
    }

    @Test func oneLateAnswerIsForgiven() {
        #expect(Self.questions([false, false, true, false, false, true]) == nil)
    }

    @Test func asksEveryFourSeconds() {
        nonisolated(unsafe) var asked = 0
        var heartbeat = PumpHeartbeat {
            asked += 1
            return true
        }
        for second in 0..<40 { _ = heartbeat.hasStopped(at: .seconds(second)) }
        #expect(asked == 10)
    }

    /// An answer that is waited for counts towards the interval.
    @Test func pausesUntilTheNextQuestion() {
        var heartbeat = PumpHeartbeat { true }
        #expect(heartbeat.pause(at: .seconds(7)) == .zero)
        _ = heartbeat.hasStopped(at: .seconds(7))
        #expect(heartbeat.pause(at: .seconds(9)) == .seconds(2))
        #expect(heartbeat.pause(at: .seconds(20)) == .zero)
    }
}
