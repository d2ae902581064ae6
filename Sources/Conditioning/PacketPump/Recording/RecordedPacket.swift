// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A record of a pump: a packet with its fate, or the arrival of packets. Small, since a ring holds many.
package struct RecordedPacket {
    package enum Kind: UInt8 {
        /// A packet and its fate.
        case packet
        /// Packets have arrived in one frame; their fates are not known yet.
        case arrival
        /// More fates are to come than packets have arrived: the link has duplicated some.
        case duplication
        /// Other conditions apply to packets that arrive later. The record's bytes are the name of the new profile.
        case conditions
        /// A lane has a new pipeline. The record's bytes are words about its shared or managed bottleneck, one a line;
        /// none for any other. `arrival` is the pipeline's start, `due` the time from which it is used, `number` its
        /// seed.
        case lane
    }

    /// The arrival, in nanoseconds of the monotonic clock.
    package var arrival: Int64
    /// The time at which the model delivers or drops the packet.
    package var due: Int64
    /// The time at which the packet was delivered; negative if it was not.
    var departure: Int64 = -1
    /// The number of the arrival that the packet belongs to, counted from 1 in each direction; 0 if the arrival was not
    /// recorded.
    package var number: UInt64 = 0
    /// Bytes of the record's IP packets, with an Ethernet header for each.
    var counted: UInt32 = 0
    /// Bytes of the frame, and how many of them are kept.
    package var length: UInt32 = 0
    var kept: UInt32 = 0
    /// The payload of each wire packet of a super-packet; 0 for a single packet.
    package var segmentSize: UInt32 = 0
    /// The number of wire packets that share the record and its fate; for an arrival, the number of fates to come.
    package var pieces: Int32 = 0
    /// The number of records lost just before this one, for lack of memory.
    package var lost: UInt32 = 0
    /// The index of the record's first wire packet in the frame that arrived.
    package var first: UInt16 = 0
    package var kind: Kind
    package var lane = Lane.uplink
    package var fate = Fate.passed
    /// Whether the packet is a duplicate that the link made; the original's fate is recorded, too.
    package var isCopy = false
    /// The fault that made the packet; nil for a packet that an end sent.
    package var maker: FaultMark?
    /// The index of the pump's input that the packet came from.
    package var input: UInt8 = 0

    /// The time at which the packet was delivered; nil if it was not.
    package var delivery: Int64? { departure < 0 ? nil : departure }
}

extension RecordedPacket {
    /// The facts known when a packet arrives or is duplicated.
    init(_ kind: Kind, at time: Int64, number: UInt64, pieces: Int, _ lane: Lane = .uplink) {
        let pieces = Int32(truncatingIfNeeded: pieces)
        self.init(arrival: time, due: time, number: number, pieces: pieces, kind: kind, lane: lane)
    }
}
