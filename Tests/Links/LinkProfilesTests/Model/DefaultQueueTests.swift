// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct DefaultQueueTests {
    @Test(
        arguments: [
            (0, .bytes(24_224)), (32_000, .bytes(24_224)),
            // 300 ms are 24 224 bytes at 645 973 bit/s and a third.
            (645_973, .bytes(24_224)), (645_974, .time(.milliseconds(300))),
            (10_000_000_000_000, .time(.milliseconds(300))),
        ] as [(UInt64, QueueSize)]
    )
    func isSixteenFullPacketsOr300Milliseconds(rate: UInt64, queue: QueueSize) {
        #expect(QueueSize.default(atRate: BitRate(bitsPerSecond: rate), overhead: nil) == queue)
    }

    @Test func countsTheOverheadOfEachPacket() {
        let rate = BitRate(bitsPerSecond: 32_000)
        #expect(QueueSize.default(atRate: rate, overhead: Overhead(packet: 24)) == .bytes(16 * 1538))
        let cells = Overhead(packet: 10, cell: 48, cellOverhead: 5)
        #expect(QueueSize.default(atRate: rate, overhead: cells) == .bytes(16 * 32 * 53))
    }
}
