// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The result of `accept`.
public enum Admission: Hashable, Sendable {
    /// The pipeline holds one or two copies; `popDeparture(upTo:)` returns each copy once. The caller must keep the
    /// frame until then.
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
    /// Whether the packet must get a congestion mark (CE, RFC 3168).
    public var isMarked: Bool
    /// The index of the bit to flip, from the lowest bit of the IP packet's first byte; nil if the copy is not
    /// corrupted.
    public var corruptedBit: UInt32?
    /// The reason why the copy is dropped; nil if it is delivered.
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
