// SPDX-License-Identifier: Apache-2.0

/// An interface whose packets a capture holds.
package struct CapturedInterface: Hashable, Sendable {
    package var name: String
    /// A description, such as "uplink of eth0".
    package var description: String?
    /// The form of its packets.
    package var linkType: LinkType
    /// The largest number of bytes kept of a packet; 0 for no limit.
    package var snapLength: UInt32
    /// The expression that packets had to match.
    package var filter: String?
    /// The interface's rate in bits per second.
    var speed: UInt64?

    package init(_ name: String, _ linkType: LinkType = .ethernet, description: String? = nil, snapLength: UInt32 = 0) {
        self.name = name
        self.linkType = linkType
        self.description = description
        self.snapLength = snapLength
    }
}

/// The counts of an interface's packets during a capture. Times are nanoseconds since 1970, counts nil if not known.
package struct CaptureStatistics: Hashable, Sendable {
    package var begin: Int64
    package var end: Int64
    /// The packets that the interface saw.
    var received: UInt64?
    /// The packets that passed the filter.
    package var accepted: UInt64?
    /// The packets that the kernel had no room for.
    package var dropped: UInt64?
    /// The packets that are in the file.
    package var written: UInt64?
    /// The capture goes on, and all packets that were sent before this moment precede this; nil at its end.
    package var completeUntil: Int64?
    /// The reason why packets at the end are not in the file: "No space left on device". Nil if all are, or if that is
    /// not known.
    package var shortfall: String?

    package init(begin: Int64, end: Int64) {
        self.begin = begin
        self.end = end
    }

    private static let completeWords = "complete until "
    private static let shortfallWords = "the capture ends early: "

    /// The comments by which a capture tells ``completeUntil`` and ``shortfall``.
    var comments: [String] {
        [completeUntil.map { "\(Self.completeWords)\($0)" }, shortfall.map { Self.shortfallWords + $0 }].compactMap {
            $0
        }
    }

    /// Reads a comment; those of other programs say nothing.
    mutating func add(comment: String) {
        if comment.hasPrefix(Self.completeWords) {
            completeUntil = Int64(comment.dropFirst(Self.completeWords.count))
        } else if comment.hasPrefix(Self.shortfallWords) {
            shortfall = String(comment.dropFirst(Self.shortfallWords.count))
        }
    }
}
