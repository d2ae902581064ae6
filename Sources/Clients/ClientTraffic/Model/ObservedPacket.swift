// SPDX-License-Identifier: Apache-2.0

/// A packet that reports cite as evidence about a client.
package struct ObservedPacket: Hashable, Sendable {
    /// The packet's number in the capture: 1 for the first, as Wireshark counts.
    package var number: Int
    /// The time at which the packet was sent: when it entered the link.
    package var sent: Instant
    /// The time at which the packet was delivered; nil if the link dropped or damaged it, or if its fate is not known.
    package var delivered: Instant?

    package init(number: Int, sent: Instant, delivered: Instant?) {
        (self.number, self.sent, self.delivered) = (number, sent, delivered)
    }

    /// This packet or `other`, whichever was delivered later.
    func latest(_ other: ObservedPacket?) -> ObservedPacket {
        guard let other, let time = other.delivered, time > delivered ?? .distantPast else { return self }
        return other
    }
}
