// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A record of a pump: a packet with its fate, or that packets have arrived. Small, since a ring holds many.
package struct RecordedPacket {
    package enum Kind: UInt8 {
        /// A packet and its fate.
        case packet
        /// Packets have arrived at once, whose fates are not known yet.
        case arrival
        /// More fates are to come than packets have arrived: the link has duplicated some.
        case duplication
        /// Other conditions hold for what arrives from then on. The bytes are the name of their profile.
        case conditions
    }

    /// The arrival, in nanoseconds of the monotonic clock.
    package var arrival: Int64
    /// The time at which the model delivers or drops it.
    package var due: Int64
    /// The time at which it was delivered; negative if it was not.
    var departure: Int64 = -1
    /// The number of the arrival that it belongs to, counted from 1 for what the host sends and for what it receives; 0 if
    /// that was not recorded.
    package var number: UInt64 = 0
    /// Bytes of its IP packets, with an Ethernet header for each.
    var counted: UInt32 = 0
    /// Bytes of the frame, and those of them that are kept.
    package var length: UInt32 = 0
    var kept: UInt32 = 0
    /// The payload of each wire packet of a super-packet; 0 for a single packet.
    package var segmentSize: UInt32 = 0
    /// The number of wire packets that share the record and its fate; for an arrival, the number of fates to come.
    package var pieces: Int32 = 0
    /// The number of records that were lost just before it, for lack of memory.
    package var lost: UInt32 = 0
    /// The index of its first wire packet in the frame that arrived.
    package var first: UInt16 = 0
    package var kind: Kind
    package var lane = Lane.uplink
    package var fate = Fate.passed
    /// Whether the link has made it of another: then the other one's fate is told, too.
    package var isCopy = false
    /// The fault that has made it; nil for a packet that an end has sent.
    package var maker: FaultMark?
    /// The index of the pump's input that it came from.
    package var input: UInt8 = 0

    /// The time at which it was delivered; nil if it was not.
    package var delivery: Int64? { departure < 0 ? nil : departure }
}

extension RecordedPacket {
    /// The facts known when a packet arrives or is duplicated.
    init(_ kind: Kind, at time: Int64, number: UInt64, pieces: Int, _ lane: Lane = .uplink) {
        let pieces = Int32(truncatingIfNeeded: pieces)
        self.init(arrival: time, due: time, number: number, pieces: pieces, kind: kind, lane: lane)
    }
}
