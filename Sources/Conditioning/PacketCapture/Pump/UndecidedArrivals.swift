// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Packets that have arrived at a pump, and whose fates are not all known.
struct UndecidedArrivals {
    /// The arrivals from `firstNumber` on, in order; decided ones are removed from the front.
    private var arrivals = Deque<(time: Int64, undecided: Int)>()
    private var firstNumber: UInt64 = 0

    /// The time of the earliest undecided arrival; nil if there is none.
    var firstTime: Int64? { arrivals.first?.time }

    /// Records an arrival at `time` of which `count` fates are to come. Times never go back.
    ///
    /// - Returns: the number of the arrival.
    mutating func arrive(at time: Int64, count: Int) -> UInt64 {
        arrivals.append((time, count))
        return firstNumber + UInt64(arrivals.count - 1)
    }

    /// Records that `count` more fates of an arrival are to come; a negative `count` records fates that are known.
    mutating func change(_ number: UInt64, by count: Int) {
        guard number >= firstNumber, number - firstNumber < UInt64(arrivals.count) else { return }
        arrivals[Int(number - firstNumber)].undecided += count
        while let first = arrivals.first, first.undecided <= 0 {
            arrivals.removeFirst()
            firstNumber += 1
        }
    }

    /// Stops waiting for the fates of packets that have arrived so far.
    mutating func forget() {
        firstNumber += UInt64(arrivals.count)
        arrivals.removeAll(keepingCapacity: true)
    }
}
