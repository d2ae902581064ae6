// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Packets that have arrived at a pump, and of which not all fates are known.
struct UndecidedArrivals {
    /// The packets that have arrived, by number; those at the front have been decided.
    private var arrivals = Deque<(time: Int64, undecided: Int)>()
    private var firstNumber: UInt64 = 0

    /// The time at which the earliest of them arrived; nil if there is none.
    var firstTime: Int64? { arrivals.first?.time }

    /// Notes that a packet has arrived at `time`, of which `count` fates are to come. Times never go back.
    ///
    /// - Returns: its number.
    mutating func arrive(at time: Int64, count: Int) -> UInt64 {
        arrivals.append((time, count))
        return firstNumber + UInt64(arrivals.count - 1)
    }

    /// Notes that `count` more fates of an arrival are to come, or fewer for a negative count: one is known.
    mutating func change(_ number: UInt64, by count: Int) {
        guard number >= firstNumber, number - firstNumber < UInt64(arrivals.count) else { return }
        arrivals[Int(number - firstNumber)].undecided += count
        while let first = arrivals.first, first.undecided <= 0 {
            arrivals.removeFirst()
            firstNumber += 1
        }
    }

    /// Waits for no fates of what has arrived so far.
    mutating func forget() {
        firstNumber += UInt64(arrivals.count)
        arrivals.removeAll(keepingCapacity: true)
    }
}
