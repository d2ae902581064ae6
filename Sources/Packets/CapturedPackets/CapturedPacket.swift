// SPDX-License-Identifier: Apache-2.0

/// One packet of a capture.
package struct CapturedPacket: Hashable, Sendable {
    /// The direction of a packet, seen from the host or the sandbox that the interface belongs to.
    package enum Direction: UInt8, Sendable {
        case unknown
        case inbound
        case outbound
    }

    /// The index of the packet's interface in the capture's list of interfaces.
    package var interface: Int
    /// The time of the packet, in nanoseconds since 1970.
    package var time: Int64
    package var direction = Direction.unknown
    /// The bytes that the capture kept of the packet.
    package var bytes: [UInt8]
    /// The packet's length in bytes on the interface; more than `bytes.count` if the capture cut the packet.
    package var length: Int
    /// The number of packets lost between the interface's previous packet and this one, for lack of memory; nil if
    /// unknown.
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
