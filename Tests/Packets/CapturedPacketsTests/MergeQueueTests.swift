// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@Suite struct MergeQueueTests {
    /// Ordered by its time only.
    private struct Event: Comparable {
        let time: Int
        let name: String

        static func < (first: Self, second: Self) -> Bool { first.time < second.time }
        static func == (first: Self, second: Self) -> Bool { first.time == second.time }
    }

    @Test func mergesStreamsAndLateElements() {
        var queue = MergeQueue<Int>(streams: 2)
        #expect(queue.first == nil && queue.removeFirst { _ in true } == nil)
        for number in [3, 7, 5] { queue.add(number) }
        for number in [4, 8, 1] { queue.add(number, stream: 1) }
        #expect(queue.count == 6 && queue.elements.sorted() == [1, 3, 4, 5, 7, 8])
        var found: [Int?] = []
        while let first = queue.first { found.append(queue.removeFirst { $0 == first }) }
        #expect(found == [1, 3, 4, 5, 7, 8] && queue.count == 0)
    }

    @Test(arguments: [[2, 1], [1, 2], [2]])
    func keepsWhatMayNotLeave(numbers: [Int]) {
        var queue = MergeQueue<Int>(streams: 1)
        for number in numbers { queue.add(number) }
        #expect(queue.removeFirst { $0 > 5 } == nil && queue.count == numbers.count)
        #expect(queue.removeFirst { $0 < 5 } == numbers.min() && queue.count == numbers.count - 1)
    }

    @Test func keepsEqualElementsOfAStreamInTheirOrder() {
        var queue = MergeQueue<Event>(streams: 1)
        for name in ["first", "second", "third"] { queue.add(Event(time: 5, name: name)) }
        let found = (0..<3).map { _ in queue.removeFirst { _ in true }?.name }
        #expect(found == ["first", "second", "third"])
    }

    /// Against sorting all at the end.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func agreesWithSorting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = MergeQueue<Int>(streams: 3)
        var (all, found): ([Int], [Int]) = ([], [])
        for time in 0..<5_000 {
            let number =
                time - (Int.random(in: 0..<4, using: &generator) == 0 ? Int.random(in: 0..<300, using: &generator) : 0)
            queue.add(number, stream: Int.random(in: 0..<3, using: &generator))
            all.append(number)
            while let number = queue.removeFirst(where: { $0 < time - 300 }) { found.append(number) }
        }
        #expect(queue.count == all.count - found.count)
        while let number = queue.removeFirst(where: { _ in true }) { found.append(number) }
        #expect(found == all.sorted())
    }
}
