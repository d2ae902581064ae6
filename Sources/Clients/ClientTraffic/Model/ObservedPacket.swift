// SPDX-License-Identifier: Apache-2.0

/// A packet that says something about a client: evidence.
package struct ObservedPacket: Hashable, Sendable {
    /// The packet's number in the capture: 1 for the first, as Wireshark counts.
    package var number: Int
    /// The time at which it was sent: when it came to the link.
    package var sent: Instant
    /// The time at which it was delivered; nil if the link dropped it or changed a bit of it, or if its fate is not known.
    package var delivered: Instant?

    package init(number: Int, sent: Instant, delivered: Instant?) {
        (self.number, self.sent, self.delivered) = (number, sent, delivered)
    }

    /// The packet that was delivered later.
    func latest(_ other: ObservedPacket?) -> ObservedPacket {
        guard let other, let time = other.delivered, time > delivered ?? .distantPast else { return self }
        return other
    }
}
