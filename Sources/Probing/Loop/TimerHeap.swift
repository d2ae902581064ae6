// SPDX-License-Identifier: Apache-2.0

/// Moments at which probes want to be looked at, the next first: a binary heap.
struct TimerHeap {
    /// When, in nanoseconds of CLOCK_MONOTONIC, and which probe.
    struct Entry {
        var time: Int64
        var probe: UInt64
    }

    private var entries: [Entry] = []

    /// How many there are, those of probes that have ended long ago included.
    var count: Int { entries.count }

    /// The next one.
    var first: Entry? { entries.first }

    /// Adds a moment.
    mutating func add(_ time: Int64, _ probe: UInt64) {
        entries.append(Entry(time: time, probe: probe))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].time < entries[parent].time else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next moment, if it is not after `now`.
    mutating func take(until now: Int64) -> Entry? {
        guard let first = entries.first, first.time <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink(0)
        }
        return first
    }

    /// Forgets the moments of probes that `isWanted` does not want any more.
    mutating func keep(where isWanted: (UInt64) -> Bool) {
        entries.removeAll { !isWanted($0.probe) }
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var child = 2 * parent + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
            guard entries[child].time < entries[parent].time else { return }
            entries.swapAt(child, parent)
            parent = child
        }
    }
}
