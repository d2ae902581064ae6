// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue of indices, in a ring that doubles when it is full.
struct IndexQueue: Sendable {
    private var slots: [Int32] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Int? { count == 0 ? nil : Int(slots[head]) }

    mutating func append(_ index: Int) {
        if count == slots.count {
            slots = Array(slots[head...] + slots[..<head]) + Array(repeating: 0, count: max(16, slots.count))
            head = 0
        }
        slots[(head + count) % slots.count] = Int32(index)
        count += 1
    }

    /// Removes and returns the first index; the queue must not be empty.
    mutating func removeFirst() -> Int {
        precondition(count > 0, "no index is left")
        let index = slots[head]
        head = (head + 1) % slots.count
        count -= 1
        return Int(index)
    }

    /// Removes an index wherever it is.
    mutating func remove(_ index: Int) {
        let rest = (0..<count).map { slots[(head + $0) % slots.count] }.filter { $0 != Int32(index) }
        (slots, head, count) = (rest, 0, rest.count)
    }
}
