// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@Suite struct TCPSequenceTests {
    @Test(
        arguments: [
            (1, 0, 1), (0, 1, -1), (5, 5, 0), (3, 0xFFFF_FFFE, 5), (0xFFFF_FFFE, 3, -5),
            (0x7FFF_FFFF, 0, 0x7FFF_FFFF), (0, 0x7FFF_FFFF, -0x7FFF_FFFF),
        ] as [(TCPSequence, TCPSequence, Int)]
    )
    func ordersNumbersByTheShorterWay(_ number: TCPSequence, _ other: TCPSequence, _ distance: Int) {
        #expect(number.distance(from: other) == distance)
        #expect(number.isAfter(other) == (distance > 0) && number.isBefore(other) == (distance < 0))
        #expect(other + distance == number && number - distance == other)
        var sum = other
        sum += distance
        #expect(sum == number)
    }

    /// At half of all numbers, each of two precedes the other.
    @Test func precedesWhatIsOppositeToIt() {
        let (number, opposite): (TCPSequence, TCPSequence) = (7, 0x8000_0007)
        #expect(number.isBefore(opposite) && opposite.isBefore(number))
        #expect(!number.isAfter(opposite) && !opposite.isAfter(number))
        #expect(number.distance(from: opposite) == -0x8000_0000)
    }

    @Test func countsOnPastTheHighestNumber() {
        #expect(TCPSequence(0xFFFF_FFFF) + 1 == 0 && TCPSequence(0) - 1 == 0xFFFF_FFFF)
        #expect(
            TCPSequence(2).offset(from: 0xFFFF_FFFE) == 4 && TCPSequence(0xFFFF_FFFE).offset(from: 2) == 0xFFFF_FFFC
        )
        #expect(TCPSequence(1) + (1 << 32) == 1)
    }
}
