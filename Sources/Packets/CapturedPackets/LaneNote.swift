// SPDX-License-Identifier: Apache-2.0

/// The comment of a lane whose bottleneck is shared or managed: `shared with a long TCP flow; fq_codel queue; seed 42;
/// begun at 1764470967123456789`. With the seed and the start, the fates of the lane's packets can be computed again.
package struct LaneNote: Hashable, Sendable {
    /// What shares or manages the bottleneck, in words.
    package var words: [String]
    package var seed: UInt64
    /// The start of the lane's conditions, in nanoseconds since 1970.
    package var start: Int64

    private static let separator = "; "
    private static let seedWord = "seed "
    private static let startWords = "begun at "

    package init(_ words: [String], seed: UInt64, start: Int64) {
        (self.words, self.seed, self.start) = (words, seed, start)
    }

    /// Reads a note from an interface's comment; nil for any other comment.
    package init?(comment: String) {
        var parts = comment.split(separator: Self.separator).map(String.init)
        guard let last = parts.popLast(), last.hasPrefix(Self.startWords),
            let start = Int64(last.dropFirst(Self.startWords.count)),
            let beforeLast = parts.popLast(), beforeLast.hasPrefix(Self.seedWord),
            let seed = UInt64(beforeLast.dropFirst(Self.seedWord.count))
        else { return nil }
        self.init(parts, seed: seed, start: start)
    }

    /// The comment.
    package var comment: String {
        (words + ["\(Self.seedWord)\(seed)", "\(Self.startWords)\(start)"]).joined(separator: Self.separator)
    }
}
