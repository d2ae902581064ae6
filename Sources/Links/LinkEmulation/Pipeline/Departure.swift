// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The result of `accept`.
public enum Admission: Hashable, Sendable {
    /// The pipeline holds one or two copies; `popDeparture(upTo:)` returns each of them once. Keep the frame until then.
    case admitted(copies: Int)
    /// The packet is dropped on arrival.
    case dropped(DropReason)
}

/// A copy of a packet that is delivered or dropped.
public struct Departure: Hashable, Sendable {
    /// The caller's number for the packet.
    public var tag: UInt32
    /// The time of delivery or loss, according to the model.
    public var due: LinkTime
    /// 0, or 1 for a duplicate.
    public var copy: UInt8
    /// Whether it must be marked as having experienced congestion (CE, RFC 3168).
    public var isMarked: Bool
    /// The bit to flip, counted from the lowest bit of the first byte of the IP packet; nil if the packet is not corrupted.
    public var corruptedBit: UInt32?
    /// The reason why it is dropped; nil if it is delivered.
    public var drop: DropReason?

    /// Makes a departure.
    public init(
        tag: UInt32,
        due: LinkTime,
        copy: UInt8,
        isMarked: Bool,
        corruptedBit: UInt32?,
        drop: DropReason?
    ) {
        self.tag = tag
        self.due = due
        self.copy = copy
        self.isMarked = isMarked
        self.corruptedBit = corruptedBit
        self.drop = drop
    }
}
