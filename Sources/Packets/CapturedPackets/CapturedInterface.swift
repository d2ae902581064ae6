// SPDX-License-Identifier: Apache-2.0

/// An interface whose packets a capture holds.
package struct CapturedInterface: Hashable, Sendable {
    package var name: String
    /// A description, such as "uplink of eth0".
    package var description: String?
    /// The link-layer header type of the interface's packets.
    package var linkType: LinkType
    /// The largest number of bytes kept of a packet; 0 for no limit.
    package var snapLength: UInt32
    /// The capture filter: the expression that packets had to match.
    package var filter: String?
    /// A remark, such as a ``LaneNote``.
    package var comment: String?
    /// The interface's rate in bits per second.
    var speed: UInt64?

    package init(_ name: String, _ linkType: LinkType = .ethernet, description: String? = nil, snapLength: UInt32 = 0) {
        self.name = name
        self.linkType = linkType
        self.description = description
        self.snapLength = snapLength
    }
}

/// The counts of an interface's packets during a capture; an unknown count is nil. Times are nanoseconds since 1970.
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
    /// The file contains all packets sent before this time ahead of these statistics, and the capture continues; nil in
    /// the statistics that end a capture.
    package var completeUntil: Int64?
    /// The reason why the last packets are missing from the file, such as "No space left on device"; nil if none are
    /// missing, or if that is not known.
    package var shortfall: String?

    package init(begin: Int64, end: Int64) {
        self.begin = begin
        self.end = end
    }

    private static let completeWords = "complete until "
    private static let shortfallWords = "the capture ends early: "

    /// The comments that store ``completeUntil`` and ``shortfall`` in a capture.
    var comments: [String] {
        [completeUntil.map { "\(Self.completeWords)\($0)" }, shortfall.map { Self.shortfallWords + $0 }].compactMap {
            $0
        }
    }

    /// Sets ``completeUntil`` or ``shortfall`` from a comment; ignores comments of other programs.
    mutating func add(comment: String) {
        if comment.hasPrefix(Self.completeWords) {
            completeUntil = Int64(comment.dropFirst(Self.completeWords.count))
        } else if comment.hasPrefix(Self.shortfallWords) {
            shortfall = String(comment.dropFirst(Self.shortfallWords.count))
        }
    }
}
