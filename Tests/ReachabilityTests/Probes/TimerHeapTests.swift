// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing

@Suite struct TimerHeapTests {
    private func all(_ heap: inout TimerHeap) -> [Int64] {
        var times: [Int64] = []
        while let entry = heap.take(until: .max) { times.append(entry.time) }
        return times
    }

    @Test func givesMomentsInTheirOrder() {
        for count in [0, 1, 2, 3, 10, 1000] {
            let times = (0..<count).map { _ in Int64.random(in: 0..<100) }
            var heap = TimerHeap()
            for time in times { heap.add(time, 1) }
            #expect(heap.first?.time == times.min())
            #expect(all(&heap) == times.sorted())
        }
    }

    @Test func keepsWhatIsStillToCome() {
        var heap = TimerHeap()
        heap.add(20, 1)
        #expect(heap.take(until: 19) == nil)
        #expect(heap.take(until: 20)?.probe == 1)
        #expect(heap.first == nil)
    }

    @Test func forgetsProbesThatHaveEnded() {
        var heap = TimerHeap()
        for number in 0..<1000 { heap.add(Int64((number * 7919) % 1000), UInt64(number)) }
        heap.keep { $0 % 3 == 0 }
        #expect(all(&heap) == stride(from: 0, to: 1000, by: 3).map { Int64(($0 * 7919) % 1000) }.sorted())
    }
}
