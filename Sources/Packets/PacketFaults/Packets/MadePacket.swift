// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A packet that a fault has made.
package struct MadePacket: Hashable, Sendable {
    /// The packet from the IP header on, with all checksums.
    package var bytes: [UInt8]
    /// Whether it goes back to the sender of the packet that it is about; otherwise it goes on to the receiver.
    package var isForSender: Bool
    /// The fault that made it.
    package var mark: FaultMark
    /// The delay of its start, in nanoseconds.
    package var delay: Int64 = 0
}

/// The decision of the faults on a packet.
package struct FaultDecision: Hashable, Sendable {
    /// The fault that loses the packet; nil if it goes on.
    package var loss: FaultMark?
    /// The packets that are sent because of it.
    package var made: [MadePacket] = []

    static let pass = FaultDecision()
}

extension MadePacket {
    /// Whether both are ICMP errors of one fault.
    package func isSameError(as other: MadePacket) -> Bool {
        mark == other.mark && isForSender && other.isForSender && isError && other.isError
    }

    private var isError: Bool {
        bytes.count > 20 && (bytes[0] >> 4 == 6 ? bytes[6] == 58 : bytes[9] == 1)
    }
}
