// SPDX-License-Identifier: Apache-2.0

/// An interface whose packets a capture holds.
public struct CapturedInterface: Hashable, Sendable {
    /// The form of its packets: a LINKTYPE of the pcap project's list.
    public struct LinkType: RawRepresentable, Hashable, Sendable {
        /// The number of the list.
        public let rawValue: UInt16

        /// The kind with this number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Ethernet frames.
        public static let ethernet = LinkType(rawValue: 1)
        /// IPv4 and IPv6 packets, told apart by their version.
        public static let raw = LinkType(rawValue: 101)
    }

    /// Its name, such as "eth0".
    public var name: String
    /// What it is, such as "uplink of eth0".
    public var description: String?
    /// The form of its packets.
    public var linkType: LinkType
    /// The largest number of bytes kept of a packet; 0 for no limit.
    public var snapLength: UInt32
    /// The expression that packets had to match.
    public var filter: String?
    /// Its rate in bits per second.
    public var speed: UInt64?

    /// Describes an interface.
    public init(_ name: String, _ linkType: LinkType = .ethernet, description: String? = nil, snapLength: UInt32 = 0) {
        self.name = name
        self.linkType = linkType
        self.description = description
        self.snapLength = snapLength
    }
}

/// What became of an interface's packets during a capture.
public struct CaptureStatistics: Hashable, Sendable {
    /// When the capture began, in nanoseconds since 1970.
    public var begin: Int64
    /// When it ended.
    public var end: Int64
    /// The packets that the interface saw; nil if that is not known.
    public var received: UInt64?
    /// The packets that passed the filter.
    public var accepted: UInt64?
    /// Those of them that the kernel had no room for.
    public var dropped: UInt64?
    /// Those that are in the file.
    public var written: UInt64?

    /// Makes statistics without counters.
    public init(begin: Int64, end: Int64) {
        self.begin = begin
        self.end = end
    }
}
