// SPDX-License-Identifier: Apache-2.0

/// One packet of a capture.
public struct CapturedPacket: Hashable, Sendable {
    /// The way of a packet, seen from the host or the sandbox that the interface belongs to.
    public enum Direction: UInt8, Sendable {
        /// Not known.
        case unknown
        /// Arriving.
        case inbound
        /// Leaving.
        case outbound
    }

    /// The place of its interface in the capture's list.
    public var interface: Int
    /// When it was seen, in nanoseconds since 1970.
    public var time: Int64
    /// The way that it went.
    public var direction = Direction.unknown
    /// Its bytes, as many as were kept.
    public var bytes: [UInt8]
    /// Its length in bytes on the interface; more than `bytes` if it was cut.
    public var length: Int
    /// How many packets the interface lost since the one before, for want of room; nil if that is not known.
    public var lostBefore: UInt64?
    /// Remarks, such as the packet's fate.
    public var comments: [String] = []

    /// Makes a packet that was kept whole.
    public init(interface: Int = 0, time: Int64, bytes: [UInt8]) {
        self.interface = interface
        self.time = time
        self.bytes = bytes
        length = bytes.count
    }
}
