// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation

/// Why a packet ended in the pump.
public enum PumpDrop: UInt8, CaseIterable, Sendable {
    /// The loss model, by a loss that stands alone.
    case randomLoss
    /// The loss model, within a burst.
    case burstLoss
    /// The buffer at the bottleneck was full.
    case queueFull
    /// The buffer was full while a step of the schedule held everything back.
    case outage
    /// The pump's memory was full: no impairment, see ``PumpConfiguration``.
    case memory
    /// The kernel did not take the frame back.
    case refused
    /// The pump ended with the packet in it.
    case stopped

    init(_ reason: DropReason) {
        self =
            switch reason {
            case .randomLoss: .randomLoss
            case .burstLoss: .burstLoss
            case .queueFull: .queueFull
            case .outage: .outage
            case .memoryFull: .memory
            }
    }
}

/// What has come through one lane since the pump started. Packets are wire packets, bytes those of IP packets with an
/// Ethernet header each.
public struct LaneCounters: Equatable, Sendable {
    static let words = 10 + PumpDrop.allCases.count

    /// Packets that came.
    public internal(set) var arrived: UInt64 = 0
    /// Their bytes.
    public internal(set) var arrivedBytes: UInt64 = 0
    /// Packets written back, duplicates among them.
    public internal(set) var left: UInt64 = 0
    /// Their bytes.
    public internal(set) var leftBytes: UInt64 = 0
    /// Packets sent twice.
    public internal(set) var duplicated: UInt64 = 0
    /// Packets written back with a bit flipped.
    public internal(set) var corrupted: UInt64 = 0
    /// Packets written back with CE set.
    public internal(set) var marked: UInt64 = 0
    /// Packets inside now, copies among them. Where super-packets pass whole, those.
    public internal(set) var queued: UInt64 = 0
    /// Reads that brought packets: super-packets count once.
    public internal(set) var reads: UInt64 = 0
    /// Writes that took them back.
    public internal(set) var writes: UInt64 = 0
    var dropped = InlineArray<7, UInt64>(repeating: 0)

    init() {}

    /// Packets that ended for that reason.
    public func drops(_ reason: PumpDrop) -> UInt64 { dropped[Int(reason.rawValue)] }

    /// Packets that ended here.
    public var allDrops: UInt64 { PumpDrop.allCases.reduce(0) { $0 + drops($1) } }

    /// Whether every figure is the same.
    public static func == (left: LaneCounters, right: LaneCounters) -> Bool {
        var same = true
        left.withWords { a in right.withWords { b in same = a.elementsEqual(b) } }
        return same
    }

    func withWords(_ body: (UnsafeBufferPointer<UInt64>) -> Void) {
        withUnsafeBytes(of: self) { body($0.bindMemory(to: UInt64.self)) }
    }
}
