// SPDX-License-Identifier: Apache-2.0

/// One packet of a capture.
package struct CapturedPacket: Hashable, Sendable {
    /// The way of a packet, seen from the host or the sandbox that the interface belongs to.
    package enum Direction: UInt8, Sendable {
        case unknown
        case inbound
        case outbound
    }

    /// The index of its interface in the capture's list.
    package var interface: Int
    /// The time of the packet, in nanoseconds since 1970.
    package var time: Int64
    package var direction = Direction.unknown
    /// The packet's bytes, as many as were kept.
    package var bytes: [UInt8]
    /// The packet's length in bytes on the interface; more than `bytes` if it was cut.
    package var length: Int
    /// The number of packets that the interface lost since the one before, for lack of memory; nil if that is not known.
    package var lostBefore: UInt64?
    /// Remarks, such as the packet's fate.
    package var comments: [String] = []

    /// Makes a packet that was kept whole.
    package init(interface: Int = 0, time: Int64, bytes: [UInt8]) {
        self.interface = interface
        self.time = time
        self.bytes = bytes
        length = bytes.count
    }
}
