// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import TrafficControl

@Suite struct QueueLimitTests {
    private struct Case {
        var rate: UInt64?
        var delay: Duration = .zero
        var queue: QueueSize?
        let packets: UInt32
    }

    private static let cases = [
        // In flight: 400 bytes are one frame; queued: 16 frames are more than 300 ms.
        Case(rate: 32_000, delay: .milliseconds(100), packets: 17),
        // 12.5 MB are 8257 frames; 300 ms are 24769.
        Case(rate: 1_000_000_000, delay: .milliseconds(100), packets: 8257 + 24769),
        Case(rate: 1_000_000, packets: 25),
        Case(rate: 1_000_000, queue: .time(.milliseconds(100)), packets: 9),
        Case(rate: 1_000_000, queue: .time(.seconds(10)), packets: 826),
        Case(rate: 1_000_000, queue: .bytes(15140), packets: 10),
        Case(rate: 1_000_000, queue: .bytes(15141), packets: 11),
        Case(rate: 1_000_000, queue: .packets(50), packets: 50),
        Case(rate: 1_000_000, delay: .milliseconds(50), queue: .packets(50), packets: 55),
        // netem drops all with 0 and nearly all with 1.
        Case(rate: 1_000_000, queue: .packets(0), packets: 2),
        Case(rate: 1_000_000, queue: .bytes(1), packets: 2),
        Case(rate: 10_000_000_000_000, delay: .seconds(10), packets: 1_000_000),
        // Without a rate: a thousand, or what is in flight at 10 Gbit/s.
        Case(rate: nil, packets: 1000),
        Case(rate: nil, delay: .milliseconds(1), packets: 1000),
        Case(rate: nil, delay: .milliseconds(100), packets: 82562),
        Case(rate: nil, delay: .seconds(3600), packets: 1_000_000),
    ]

    @Test(arguments: cases.indices)
    func holdsWhatIsInFlightAndTheQueue(index: Int) {
        let item = Self.cases[index]
        let rate = item.rate.map(BitRate.init(bitsPerSecond:))
        #expect(QueueLimit.packets(rate: rate, delay: item.delay, queue: item.queue) == item.packets, "\(item)")
    }

    @Test func drainsInTheTimeOfAFullQueue() {
        let rate = BitRate(bitsPerSecond: 1_000_000)
        let time = QueueLimit.drainTime(netemLimit: 10, rate: rate, delay: .milliseconds(50))
        #expect(time == .milliseconds(50) + .microseconds(121_120))
        #expect(QueueLimit.drainTime(netemLimit: 10, rate: nil, delay: .milliseconds(50)) == .milliseconds(50))
    }

    @Test func drainsTheLargestQueueAtTheSlowestRateWithoutOverflow() {
        let time = QueueLimit.drainTime(
            netemLimit: 1_000_000,
            rate: NetemTranslation.slowestRate,
            delay: .seconds(3600)
        )
        #expect(time > .seconds(1_000_000_000))
    }
}
