// SPDX-License-Identifier: Apache-2.0

/// The sequence numbers that one end of a TCP connection has sent, to find what is sent again.
///
/// The fates of packets become known in another order than that in which the packets were sent: one that is lost at
/// once comes before an earlier one that waits in a queue. A packet is therefore a repetition if its numbers were seen,
/// and not if they are merely below the highest.
struct SequenceRanges: Sendable {
    /// The number of gaps that are remembered; the oldest is then taken as filled.
    private static let maximum = 32

    /// The position of `sequence`, counted from the first number seen: sequence numbers wrap around.
    private var top: (position: Int64, sequence: UInt32)?
    /// Separate ranges, in order.
    private var ranges: [Range<Int64>] = []

    /// Adds `count` numbers from `sequence` on; returns how many of them were seen before.
    mutating func add(_ sequence: UInt32, count: Int) -> Int {
        guard count > 0 else { return 0 }
        let known = top ?? (0, sequence)
        let start = known.position + Int64(Int32(bitPattern: sequence &- known.sequence))
        let new = start..<start + Int64(count)
        if top == nil || new.upperBound > known.position {
            top = (new.upperBound, sequence &+ UInt32(truncatingIfNeeded: count))
        }
        // Nearly always: the next packet in order.
        if let last = ranges.indices.last, ranges[last].upperBound == new.lowerBound {
            ranges[last] = ranges[last].lowerBound..<new.upperBound
            return 0
        }
        var overlap = 0
        var merged = new
        var index = ranges.firstIndex { $0.upperBound >= new.lowerBound } ?? ranges.endIndex
        let first = index
        while index < ranges.endIndex, ranges[index].lowerBound <= new.upperBound {
            overlap += ranges[index].clamped(to: new).count
            merged = min(merged.lowerBound, ranges[index].lowerBound)..<max(merged.upperBound, ranges[index].upperBound)
            index += 1
        }
        ranges.replaceSubrange(first..<index, with: [merged])
        if ranges.count > Self.maximum {
            ranges.replaceSubrange(0..<2, with: [ranges[0].lowerBound..<ranges[1].upperBound])
        }
        return overlap
    }
}
