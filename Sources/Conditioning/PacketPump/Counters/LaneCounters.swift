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
    /// The delays of all packets, in nanoseconds; 0 without competing traffic.
    package internal(set) var sharedTime: UInt64 = 0
    /// The share of it spent waiting behind competing traffic, in nanoseconds.
    package internal(set) var timeBehindOthers: UInt64 = 0
    var dropped = DropReason.Counters(repeating: 0)

    /// Packets dropped for `reason`; all faults count as one reason.
    package func drops(_ reason: DropReason) -> UInt64 { dropped[reason.counter] }

    /// Packets dropped for any reason.
    package var allDrops: UInt64 { dropped.indices.reduce(0) { $0 + dropped[$1] } }

    /// Where the time of packets went on shared links, over several lanes.
    package struct Competition: Sendable {
        /// Packets that came to these lanes.
        package private(set) var packets: UInt64 = 0
        private var time: UInt64 = 0
        private var behindOthers: UInt64 = 0

        package init() {}

        /// Adds a lane; ignores one that is not shared.
        package mutating func add(_ lane: LaneCounters) {
            guard lane.sharedTime > 0 else { return }
            packets &+= lane.arrived
            time &+= lane.sharedTime
            behindOthers &+= lane.timeBehindOthers
        }

        /// The share of the delay spent waiting behind competing traffic, in percent; nil without competing traffic.
        package var percent: Int? {
            time > 0 ? Int((min(Double(behindOthers) / Double(time), 1) * 100).rounded()) : nil
        }
    }

    /// Where the time of the lane's packets went.
    package var competition: Competition {
        var sum = Competition()
        sum.add(self)
        return sum
    }

    package static func == (left: LaneCounters, right: LaneCounters) -> Bool {
        withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
    }
}
