// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The counters of one lane since the pump started. Packets are wire packets; bytes are those of the IP packet and an
/// Ethernet header.
package struct LaneCounters: Equatable, Sendable {
    /// The size of these counters in words of 64 bits.
    static var words: Int { MemoryLayout<LaneCounters>.size / MemoryLayout<UInt64>.size }

    package internal(set) var arrived: UInt64 = 0
    package internal(set) var arrivedBytes: UInt64 = 0
    /// Packets delivered to the device, including duplicates.
    package internal(set) var left: UInt64 = 0
    package internal(set) var leftBytes: UInt64 = 0
    var duplicated: UInt64 = 0
    /// Packets delivered with a bit flipped.
    var corrupted: UInt64 = 0
    /// Packets delivered with CE set.
    var marked: UInt64 = 0
    /// Packets held now, including duplicates. A lane that does not split super-packets counts each as one packet.
    package internal(set) var queued: UInt64 = 0
    /// Reads from the device: a super-packet counts once.
    package internal(set) var reads: UInt64 = 0
    /// Writes to the device.
    package internal(set) var writes: UInt64 = 0
    var dropped = DropReason.Counters(repeating: 0)

    /// Packets dropped for `reason`; all faults count as one reason.
    package func drops(_ reason: DropReason) -> UInt64 { dropped[reason.counter] }

    /// Packets dropped for any reason.
    package var allDrops: UInt64 { dropped.indices.reduce(0) { $0 + dropped[$1] } }

    package static func == (left: LaneCounters, right: LaneCounters) -> Bool {
        withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
    }
}
