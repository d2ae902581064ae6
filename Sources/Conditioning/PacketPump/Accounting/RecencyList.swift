// SPDX-License-Identifier: Apache-2.0

/// The order in which the slots of a table were last used. Each operation takes the same short time.
struct RecencyList {
    private var previous: [Int32]
    private var next: [Int32]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private(set) var count = 0

    init(capacity: Int) {
        previous = Array(repeating: -1, count: capacity)
        next = Array(repeating: -1, count: capacity)
    }

    /// Adds the next unused slot, or the one that was not used for the longest time; it is then the newest.
    mutating func insert() -> (slot: Int, isReplaced: Bool) {
        guard count < previous.count else {
            let slot = Int(oldest)
            use(slot)
            return (slot, true)
        }
        let slot = count
        count += 1
        prepend(Int32(slot))
        return (slot, false)
    }

    /// Makes a slot the newest.
    mutating func use(_ slot: Int) {
        let slot = Int32(slot)
        guard slot != newest else { return }
        let (before, after) = (previous[Int(slot)], next[Int(slot)])
        if before >= 0 { next[Int(before)] = after }
        if after >= 0 { previous[Int(after)] = before } else { oldest = before }
        prepend(slot)
    }

    private mutating func prepend(_ slot: Int32) {
        (previous[Int(slot)], next[Int(slot)]) = (-1, newest)
        if newest >= 0 { previous[Int(newest)] = slot } else { oldest = slot }
        newest = slot
    }
}
