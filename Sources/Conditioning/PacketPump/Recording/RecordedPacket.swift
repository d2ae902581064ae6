// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a pump has recorded: a packet with its fate, or that packets have arrived. Small, since a ring holds many.
package struct RecordedPacket {
    package enum Kind: UInt8 {
        /// A packet and its fate.
        case packet
        /// Packets have arrived at once, whose fates are not known yet.
        case arrival
        /// More fates than packets are to come of an arrival: the link has duplicated some.
        case duplication
        /// Other conditions hold for what arrives from then on. The bytes are the name of their profile.
        case conditions
    }

    /// When it arrived, in nanoseconds of the monotonic clock.
    package var arrival: Int64
    /// When the model delivers or drops it.
    package var due: Int64
    /// When it was delivered; negative if it was not.
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
    /// Of a packet, the number of wire packets that share the record and its fate; otherwise the number of fates to come.
    package var pieces: Int32 = 0
    /// How many records were lost just before it, for want of room.
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

    /// When it was delivered; nil if it was not.
    package var delivery: Int64? { departure < 0 ? nil : departure }
}

extension RecordedPacket {
    /// What is known when a packet arrives or is duplicated.
    init(_ kind: Kind, at time: Int64, number: UInt64, pieces: Int, _ lane: Lane = .uplink) {
        let pieces = Int32(truncatingIfNeeded: pieces)
        self.init(arrival: time, due: time, number: number, pieces: pieces, kind: kind, lane: lane)
    }
}
