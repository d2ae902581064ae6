// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a pump has recorded: a packet with its fate, or that packets have arrived. Its bytes stay where they are only
/// as long as it is handed out.
package struct RecordedPacket: ~Copyable {
    /// What it tells.
    package enum Kind: Hashable, Sendable {
        /// A packet and its fate.
        case packet(Fate)
        /// So many packets have arrived at once, and their fates are still to come.
        case arrival(count: Int)
        /// So many more fates than packets are to come of an arrival: the link has duplicated some.
        case duplicated(count: Int)
    }

    private let entry: PacketRecorder.Entry
    private let start: UnsafeRawPointer

    init(_ entry: PacketRecorder.Entry, _ start: UnsafeRawPointer) {
        self.entry = entry
        self.start = start
    }

    /// What it tells.
    package var kind: Kind {
        switch entry.kind {
        case .packet: .packet(entry.fate)
        case .arrival: .arrival(count: Int(entry.pieces))
        case .change: .duplicated(count: Int(entry.pieces))
        }
    }

    /// The number of the arrival that it belongs to, counted from 1; nil if that was not recorded.
    package var arrivalNumber: UInt64? { entry.number == 0 ? nil : entry.number }
    /// When it arrived, in nanoseconds of the monotonic clock.
    package var arrival: Int64 { entry.arrival }
    /// When the model delivers or drops it.
    package var due: Int64 { entry.due }
    /// When it was delivered; nil if it was not.
    package var departure: Int64? { entry.departure < 0 ? nil : entry.departure }
    /// The lane that it went through.
    package var lane: Lane { entry.lane }
    /// The index of the pump's input that it came from.
    package var input: Int { Int(entry.input) }
    /// The bytes of its frame that were kept.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(entry.kept)) }
    /// The bytes of its IP packets, with an Ethernet header for each.
    package var countedBytes: Int { Int(entry.counted) }
    /// The length of its frame.
    package var length: Int { Int(entry.length) }
    /// The number of wire packets that share the record: packets of one super-packet with one fate.
    package var packets: Int { max(Int(entry.pieces), 1) }
    /// The payload of each wire packet of a super-packet in bytes; 0 for a single packet.
    package var segmentSize: Int { Int(entry.segmentSize) }
    /// The number of recorded things that were lost just before it, for want of room.
    package var lost: Int { Int(entry.lost) }
}
