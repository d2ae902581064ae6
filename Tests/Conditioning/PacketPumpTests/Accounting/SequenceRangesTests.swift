// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketPump

struct SequenceRangesTests {
    @Test func findsWhatIsSentAgain() {
        var ranges = SequenceRanges()
        #expect(ranges.add(1_000, count: 100) == 0)
        #expect(ranges.add(1_100, count: 100) == 0)
        #expect(ranges.add(1_000, count: 100) == 100)
        #expect(ranges.add(1_150, count: 100) == 50)
        #expect(ranges.add(1_250, count: 0) == 0)
    }

    /// A packet that was lost at once is recorded before an earlier one that waits in a queue.
    @Test func takesNoPacketOutOfOrderForARepetition() {
        var ranges = SequenceRanges()
        for start in [5_000, 3_000, 4_000, 1_000, 2_000] as [UInt32] {
            #expect(ranges.add(start, count: 1_000) == 0)
        }
        #expect(ranges.add(1_500, count: 4_000) == 4_000)
    }

    @Test func followsNumbersThatWrapAround() {
        var ranges = SequenceRanges()
        #expect(ranges.add(0xFFFF_FF00, count: 0x200) == 0)
        #expect(ranges.add(0x100, count: 0x100) == 0)
        #expect(ranges.add(0xFFFF_FFF0, count: 0x20) == 0x20)
    }

    @Test func remembersALimitedNumberOfGaps() {
        var ranges = SequenceRanges()
        for gap in 0..<1_000 as Range<UInt32> { #expect(ranges.add(gap * 100, count: 10) == 0) }
        // The latest gaps are still known, the first count as filled.
        #expect(ranges.add(99_850, count: 10) == 0)
        #expect(ranges.add(50, count: 10) == 10)
    }
}
