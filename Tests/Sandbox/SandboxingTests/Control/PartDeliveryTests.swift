// SPDX-License-Identifier: Apache-2.0

import PacketPump
import Testing

@testable import Sandboxing

/// When the link has delivered what belongs to a part.
@Suite struct PartDeliveryTests {
    /// How long it waits at a link that always holds packets of others, and writes each down so many milliseconds after it was
    /// sent; until those of so many milliseconds at most.
    private static func wait(
        delay: Int,
        until stuck: Int = .max,
        held: Int = 9,
        mayGetAnswers: Bool
    ) -> (milliseconds: Int, held: Int) {
        var delivery = PartDelivery(mayGetAnswers: mayGetAnswers)
        var elapsed = 0
        while true {
            let state = PumpProcess.CaptureState(
                settled: Int64(1000 + elapsed),
                // What arrives tells nothing of what is on its way.
                written: WrittenPackets(
                    seen: Int64(1000 + elapsed),
                    sent: Int64(1000 + min(elapsed - delay, stuck))
                ),
                held: held
            )
            guard let pause = delivery.pause(after: state, at: .milliseconds(elapsed)) else {
                return (elapsed, delivery.held)
            }
            elapsed += Int(pause / .milliseconds(1))
        }
    }

    /// Nothing is under way.
    @Test func doesNotWaitAtAnEmptyLink() {
        #expect(Self.wait(delay: 500, held: 0, mayGetAnswers: true).milliseconds == 0)
    }

    /// What the kernels send in answer is on the link by then.
    @Test func waitsForTheLinkAloneWhereNoSocketIsLeft() {
        #expect(Self.wait(delay: 0, mayGetAnswers: false).milliseconds <= 4)
        #expect(40...90 ~= Self.wait(delay: 20, mayGetAnswers: false).milliseconds)
    }

    @Test func waitsForTheServerWhereAnAnswerMayCome() {
        #expect(100...150 ~= Self.wait(delay: 0, mayGetAnswers: true).milliseconds)
    }

    /// Both ways.
    @Test(arguments: [false, true]) func waitsForASlowLink(mayGetAnswers: Bool) {
        let wait = Self.wait(delay: 500, mayGetAnswers: mayGetAnswers)
        #expect(1000...1200 ~= wait.milliseconds && wait.held == 0)
    }

    @Test func saysWhatIsStillOnTheLink() {
        let wait = Self.wait(delay: 0, until: -1, mayGetAnswers: false)
        #expect(10_000...10_100 ~= wait.milliseconds && wait.held == 9)
    }

    /// What was sent before is delivered; only answers are not.
    @Test func isInNoDoubtForAnswers() {
        let wait = Self.wait(delay: 0, until: 1, mayGetAnswers: true)
        #expect(10_000...10_100 ~= wait.milliseconds && wait.held == 0)
    }
}
