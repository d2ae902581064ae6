// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// Finds items by the period that they lasted: an interval tree, stored as an array in which the middle of each part is
/// a node.
struct TimeIndex {
    private struct Entry {
        var times: ClosedRange<Instant>
        /// The number of the item.
        var number: Int
        /// The latest end in the part of the array of which this entry is the middle.
        var latest: Instant
    }

    private var entries: [Entry]

    /// Makes an index of items by their periods.
    init(_ times: [ClosedRange<Instant>]) {
        entries = times.enumerated().map { Entry(times: $1, number: $0, latest: $1.upperBound) }
            .sorted { $0.times.lowerBound < $1.times.lowerBound }
        spread(0..<entries.count)
    }

    /// The numbers of the items that overlap `times`, in ascending order.
    func overlapping(_ times: ClosedRange<Instant>) -> [Int] {
        var found: [Int] = []
        collect(times, in: 0..<entries.count, &found)
        return found.sorted()
    }

    private mutating func spread(_ part: Range<Int>) {
        guard !part.isEmpty else { return }
        let middle = part.middle
        for half in [part.lowerBound..<middle, middle + 1..<part.upperBound] where !half.isEmpty {
            spread(half)
            entries[middle].latest = max(entries[middle].latest, entries[half.middle].latest)
        }
    }

    private func collect(_ times: ClosedRange<Instant>, in part: Range<Int>, _ found: inout [Int]) {
        guard !part.isEmpty, case let entry = entries[part.middle], entry.latest >= times.lowerBound else { return }
        collect(times, in: part.lowerBound..<part.middle, &found)
        guard entry.times.lowerBound <= times.upperBound else { return }
        if entry.times.upperBound >= times.lowerBound { found.append(entry.number) }
        collect(times, in: part.middle + 1..<part.upperBound, &found)
    }
}

extension Range<Int> {
    fileprivate var middle: Int { lowerBound + count / 2 }
}
