// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The counters of one lane since the pump started. Packets are wire packets; bytes are those of the IP packet and an
/// Ethernet header.
public struct LaneCounters: Equatable, Sendable {
    static let words = 10 + DropReason.allCases.count

    /// Packets read from the device.
    public internal(set) var arrived: UInt64 = 0
    /// Their bytes.
    public internal(set) var arrivedBytes: UInt64 = 0
    /// Packets delivered to the device, including duplicates.
    public internal(set) var left: UInt64 = 0
    /// Their bytes.
    public internal(set) var leftBytes: UInt64 = 0
    /// Packets duplicated.
    public internal(set) var duplicated: UInt64 = 0
    /// Packets delivered with a bit flipped.
    public internal(set) var corrupted: UInt64 = 0
    /// Packets delivered with CE set.
    public internal(set) var marked: UInt64 = 0
    /// Packets held now, including copies. A lane that does not split super-packets counts those.
    public internal(set) var queued: UInt64 = 0
    /// Reads from the device: a super-packet counts once.
    public internal(set) var reads: UInt64 = 0
    /// Writes to the device.
    public internal(set) var writes: UInt64 = 0
    var dropped = InlineArray<7, UInt64>(repeating: 0)

    init() {}

    /// Packets dropped for `reason`.
    public func drops(_ reason: DropReason) -> UInt64 { dropped[Int(reason.rawValue)] }

    /// Packets dropped for any reason.
    public var allDrops: UInt64 { DropReason.allCases.reduce(0) { $0 + drops($1) } }

    /// Whether all counters are equal.
    public static func == (left: LaneCounters, right: LaneCounters) -> Bool {
        var same = true
        left.withWords { a in right.withWords { b in same = a.elementsEqual(b) } }
        return same
    }

    func withWords(_ body: (UnsafeBufferPointer<UInt64>) -> Void) {
        withUnsafeBytes(of: self) { body($0.bindMemory(to: UInt64.self)) }
    }
}
