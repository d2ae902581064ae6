// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A packet that a fault has made.
package struct MadePacket: Hashable, Sendable {
    /// The packet from the IP header on, with all checksums.
    package var bytes: [UInt8]
    /// Whether the packet goes to the sender of the packet that caused it; otherwise it goes to the receiver of that
    /// packet.
    package var isForSender: Bool
    /// The fault that made it.
    package var mark: FaultMark
    /// The delay before the packet is sent, in nanoseconds.
    package var delay: Int64 = 0
}

/// The faults' decision about a packet.
package struct FaultDecision: Hashable, Sendable {
    /// The fault that drops the packet; nil if the packet passes.
    package var loss: FaultMark?
    /// The packets that faults send because of the packet.
    package var made: [MadePacket] = []

    static let pass = FaultDecision()
}

extension MadePacket {
    /// Whether both packets are ICMP errors made by the same fault.
    package func isSameError(as other: MadePacket) -> Bool {
        mark == other.mark && isForSender && other.isForSender && isError && other.isError
    }

    private var isError: Bool {
        bytes.count > 20 && (bytes[0] >> 4 == 6 ? bytes[6] == 58 : bytes[9] == 1)
    }
}
