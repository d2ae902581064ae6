// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkEmulation

/// When the receiver of a modelled flow acknowledges: RFC 5681, section 4.2, and Linux.
@Suite struct ReceiverTests {
    /// The time and the number of packets of each acknowledgement; packets are sent at these times, and arrive 1 ms apart.
    private func acknowledgements(sentAt times: [Int64], atOnce: Bool = false) -> [[Int64]] {
        var receiver = Receiver()
        for (index, time) in times.enumerated() {
            receiver.receive(
                Receiver.Acknowledgement(
                    time: Int64(index + 1) * 1_000_000,
                    number: UInt64(index),
                    sent: time,
                    isMarked: false
                ),
                isAcknowledgedAtOnce: atOnce
            )
        }
        var result: [[Int64]] = []
        while let next = receiver.removeFirst(at: receiver.nextTime < .max ? receiver.nextTime : 0) {
            result.append([next.time / 1_000_000, Int64(next.count)])
        }
        return result
    }

    @Test func acknowledgesEverySecondPacketAndTheLastOneAfterADelay() {
        #expect(acknowledgements(sentAt: [1, 2, 3, 4, 5]) == [[2, 2], [4, 2], [45, 1]])
    }

    /// A sender of Linux sets PSH on the second one of a pair.
    @Test func keepsPairsThatAreSentTogether() {
        #expect(acknowledgements(sentAt: [1, 1, 2, 2]) == [[2, 2], [4, 2]])
        #expect(acknowledgements(sentAt: [1, 2, 2, 3, 3]) == [[2, 2], [3, 1], [5, 2]])
        #expect(acknowledgements(sentAt: [1, 1, 1, 2, 2]) == [[2, 2], [4, 2], [5, 1]])
    }

    @Test func acknowledgesEachPacketAtOnceWhileOneIsMissing() {
        #expect(acknowledgements(sentAt: [1, 1, 2], atOnce: true) == [[1, 1], [2, 1], [3, 1]])
    }

    @Test func sendsADelayedAcknowledgementBeforeALatePacket() {
        var receiver = Receiver()
        for (number, time) in [(0, 1_000_000), (1, 90_000_000)] as [(UInt64, Int64)] {
            receiver.receive(
                Receiver.Acknowledgement(time: time, number: number, sent: time, isMarked: false),
                isAcknowledgedAtOnce: false
            )
        }
        #expect(receiver.removeFirst(at: receiver.nextTime)?.time == 41_000_000)
        #expect(receiver.nextTime == 130_000_000)
    }
}
