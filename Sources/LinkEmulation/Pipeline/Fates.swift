// SPDX-License-Identifier: Apache-2.0

/// Why a packet did not come through.
public enum DropReason: UInt8, CaseIterable, Sendable {
    /// The loss model, by a loss that stands alone: random loss, or loss outside a burst.
    case randomLoss
    /// The loss model, within a burst: the bad state of Gilbert-Elliott, the third of the four states.
    case burstLoss
    /// The buffer at the bottleneck was full.
    case queueFull
    /// The buffer at the bottleneck was full while a step of the schedule held everything back.
    case outage
    /// The pipeline held as many packets as it was allowed to; no impairment, a limit of memory.
    case memoryFull
}

/// What became of a packet as it arrived. Its frame must be kept until as many departures have named its tag.
public enum Admission: Hashable, Sendable {
    /// On its way, in one copy or two, each of which `popDeparture(upTo:)` gives back once.
    case admitted(copies: Int)
    /// Gone at once.
    case dropped(DropReason)
}

/// A copy of a packet at the end of its way through the pipeline.
public struct Departure: Hashable, Sendable {
    /// What the caller called the packet.
    public var tag: UInt32
    /// When it leaves, or when it was dropped, by the model and however late that was asked for.
    public var due: LinkTime
    /// 0, or 1 for a duplicate.
    public var copy: UInt8
    /// Whether it must be marked as having met congestion (CE, RFC 3168).
    public var isMarked: Bool
    /// The bit to flip, counted from the first byte of the IP packet on, bit 0 being that byte's lowest.
    public var corruptedBit: UInt32?
    /// Why it was dropped on the way; nil where it leaves.
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
