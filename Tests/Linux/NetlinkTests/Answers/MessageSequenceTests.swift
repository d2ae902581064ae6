// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct MessageSequenceTests {
    @Test func givesEachMessage() {
        let datagram = message(20, flags: 2, [1, 2, 3, 4]) + message(21, [])
        let elements = Array(MessageSequence(datagram))
        #expect(elements.map(\.type) == [20, 21])
        #expect(elements.map(\.flags) == [2, 0])
        #expect(elements.map { Array($0.body) } == [[1, 2, 3, 4], []])
    }

    @Test func stepsOverPadding() {
        let datagram = message(20, [1]) + [0, 0, 0] + message(21, [2])
        #expect(MessageSequence(datagram).map { Array($0.body) } == [[1], [2]])
    }

    @Test func needsNoPaddingAfterTheLast() {
        #expect(MessageSequence(message(20, [1])).map { Array($0.body) } == [[1]])
    }

    @Test(arguments: [0, 15, 21, UInt32.max] as [UInt32]) func stopsAtAnImpossibleLength(_ length: UInt32) {
        let second = bytes(of: length) + message(21, [1, 2, 3, 4]).dropFirst(4)
        #expect(MessageSequence(message(20, []) + second).map(\.type) == [20])
    }

    @Test func stopsAtACutHeader() {
        for length in 0..<16 {
            #expect(MessageSequence(message(20, []) + message(21, []).prefix(length)).map(\.type) == [20])
        }
    }
}
