// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// The part of a stream that a side has sent, or that has been delivered, as positions: 64-bit numbers that do not
/// wrap. The SYN is at 0.
struct SequenceSpace {
    /// The maximum number of ranges, more than a captured stream usually has.
    private static let maximumRanges = 64

    /// The sequence number of the SYN.
    private var initial: TCPSequence?
    /// The highest range; empty before the first. Most streams have no other.
    private var last: Range<Int64> = 0..<0
    /// The ranges below `last`: disjoint, ascending.
    private var earlier: [Range<Int64>] = []
    /// The position after the highest range.
    private var next: Int64 = 0

    /// Notes the sequence number of the SYN; a number that differs from the last SYN's starts a new stream.
    mutating func begin(at sequence: TCPSequence) {
        guard initial != sequence else { return }
        self = SequenceSpace()
        initial = sequence
    }

    /// The position of a sequence number in the stream: of the possible ones, the nearest to `next`. Starts the stream
    /// if its SYN was not seen.
    mutating func position(of sequence: TCPSequence) -> Int64 {
        guard let initial else {
            // The start of the stream was not seen.
            self.initial = sequence - 1
            next = 1
            return 1
        }
        return next + Int64(sequence.distance(from: initial + Int(next)))
    }

    /// Whether `place` is the last position that was sent, which a keep-alive probe repeats.
    func isLast(_ place: Int64) -> Bool { place == next - 1 }

    /// Whether `range` starts at the next position, or all of it has been added before.
    func continues(with range: Range<Int64>) -> Bool { range.lowerBound == next || contains(range) }

    /// Whether nothing has been added.
    var isEmpty: Bool { last.isEmpty }

    /// Whether all of `range` has been added before.
    func contains(_ range: Range<Int64>) -> Bool {
        range.isInside(last) || earlier.contains { range.isInside($0) }
    }

    /// Adds a range.
    ///
    /// - Returns: the number of positions in `range` that are new.
    mutating func insert(_ range: Range<Int64>) -> Int64 {
        guard !range.isEmpty else { return 0 }
        next = max(next, range.upperBound)
        defer { precondition(earlier.last.map { $0.upperBound < last.lowerBound } ?? true, "ranges overlap") }
        guard !last.isEmpty, range.lowerBound <= last.upperBound else {
            if !last.isEmpty { earlier.append(last) }
            last = range
            closeGap()
            return Int64(range.count)
        }
        if range.lowerBound >= last.lowerBound {
            let new = max(range.upperBound - last.upperBound, 0)
            last = last.lowerBound..<max(last.upperBound, range.upperBound)
            return new
        }
        var ranges = earlier + [last]
        let begin = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        let end = ranges[begin...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.endIndex
        let touched = ranges[begin..<end]
        let lower = min(touched.first?.lowerBound ?? range.lowerBound, range.lowerBound)
        let upper = max(touched.last?.upperBound ?? range.upperBound, range.upperBound)
        let known = touched.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        ranges.replaceSubrange(begin..<end, with: [lower..<upper])
        last = ranges.removeLast()
        earlier = ranges
        closeGap()
        precondition(upper - lower >= known, "more is known than there is")
        return upper - lower - known
    }

    /// Closes the lowest gap if there are too many ranges.
    private mutating func closeGap() {
        guard earlier.count >= Self.maximumRanges else { return }
        earlier.replaceSubrange(0..<2, with: [earlier[0].lowerBound..<earlier[1].upperBound])
    }
}

extension Range<Int64> {
    fileprivate func isInside(_ other: Range) -> Bool {
        other.lowerBound <= lowerBound && upperBound <= other.upperBound
    }
}
