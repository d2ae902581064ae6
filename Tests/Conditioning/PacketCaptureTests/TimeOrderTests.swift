// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import PacketCapture

/// Packets whose fates are decided in another order than they were seen in.
@Suite struct TimeOrderTests {
    @Test func waitsForWhatArrivedBefore() {
        var order = TimeOrder<String>(limit: 1000)
        let slow = order.arrivals.arrive(at: 10, count: 1)
        let fast = order.arrivals.arrive(at: 20, count: 1)
        order.arrivals.change(fast, by: -1)
        order.add("fast", time: 20, size: 1)
        order.add("answer", time: 15, size: 1)
        #expect(order.next(now: 30) == nil)
        order.arrivals.change(slow, by: -1)
        order.add("slow", time: 10, size: 1)
        #expect([order.next(now: 30), order.next(now: 30), order.next(now: 30)] == ["slow", "answer", "fast"])
        #expect(order.next(now: 30) == nil && order.size == 0)
    }

    /// A loss is decided at once, a delivery later.
    @Test func keepsThePartsOfASuperPacketInTheirOrder() {
        var order = TimeOrder<String>(limit: 1000)
        let (frame, next) = (order.arrivals.arrive(at: 10, count: 3), order.arrivals.arrive(at: 10, count: 1))
        for (packet, arrival, position) in [
            ("third", frame, 2), ("of the next frame", next, 1 << 16), ("first", frame, 0),
        ] as [(String, UInt64, UInt64)] {
            order.arrivals.change(arrival, by: -1)
            order.add(packet, time: 10, position: position, size: 1)
            #expect(order.next(now: 30) == nil)
        }
        order.arrivals.change(frame, by: -1)
        order.add("second", time: 10, position: 1, size: 1)
        let found = (0..<5).map { _ in order.next(now: 30) }
        #expect(found == ["first", "second", "third", "of the next frame", nil])
    }

    @Test func waitsForCopiesAndForTheClock() {
        var order = TimeOrder<Int>(limit: 1000)
        let arrival = order.arrivals.arrive(at: 10, count: 1)
        order.arrivals.change(arrival, by: 1)
        order.arrivals.change(arrival, by: -1)
        order.add(1, time: 12, size: 1)
        #expect(order.next(now: 30) == nil)
        order.arrivals.change(arrival, by: -1)
        #expect(order.next(now: 11) == nil)
        #expect(order.next(now: 12) == 1)
    }

    @Test func waitsForNothingThatIsForgotten() {
        var order = TimeOrder<Int>(limit: 1000)
        let lost = order.arrivals.arrive(at: 5, count: 1)
        order.add(1, time: 12, size: 1)
        #expect(order.horizon(now: 30) == 5 && order.next(now: 30) == nil)
        order.arrivals.forget()
        #expect(order.horizon(now: 30) == 30 && order.next(now: 30) == 1)
        // Its fate may still come, and decides nothing else.
        let next = order.arrivals.arrive(at: 20, count: 1)
        order.arrivals.change(lost, by: -1)
        #expect(order.horizon(now: 30) == 20 && order.firstTime == nil)
        order.arrivals.change(next, by: -1)
        #expect(order.horizon(now: 30) == 30)
    }

    @Test func keepsWithinItsLimit() {
        var order = TimeOrder<Int>(limit: 10)
        _ = order.arrivals.arrive(at: 0, count: 1)
        for number in 0..<4 { order.add(number, time: Int64(number), size: 4) }
        #expect([order.next(now: 9), order.next(now: 9), order.next(now: 9)] == [0, 1, nil])
        #expect(order.size == 8)
    }

    @Test func tellsWhatWaits() {
        var order = TimeOrder<Int>(limit: 1000)
        for time in [3, 5, 4, 9] { order.add(time, time: Int64(time), size: 1) }
        #expect(order.next(now: 3) == 3)
        #expect(order.waiting.sorted() == [4, 5, 9])
    }

    /// Against sorting all at the end.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithSorting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var order = TimeOrder<Int64>(limit: .max)
        var open: [(number: UInt64, time: Int64, due: Int64)] = []
        var (expected, found): ([Int64], [Int64]) = ([], [])
        for now in Int64(0)..<20_000 {
            if Bool.random(using: &generator) {
                let due = now + Int64.random(in: 0..<500, using: &generator)
                open.append((order.arrivals.arrive(at: now, count: 1), now, due))
            }
            if Int.random(in: 0..<3, using: &generator) == 0 {
                order.add(now, time: now, size: 1)
                expected.append(now)
            }
            for packet in open where packet.due <= now {
                order.arrivals.change(packet.number, by: -1)
                order.add(packet.time, time: packet.time, size: 1)
                expected.append(packet.time)
            }
            open.removeAll { $0.due <= now }
            while let time = order.next(now: now) { found.append(time) }
        }
        #expect(found == Array(expected.sorted().prefix(found.count)))
        #expect(found.count > expected.count - 2000)
    }
}
