// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// Builds the link's record from the packets of a capture.
struct LinkReading {
    /// The lateness from which a packet is recorded, in nanoseconds.
    private static let tolerance: Int64 = 5_000_000
    /// The period, in nanoseconds, of which only the packet with the greatest lateness is recorded.
    private static let step: Int64 = 10_000_000

    private var record = LinkRecord()
    /// In nanoseconds.
    private var worstLateness: Int64 = 0
    private var late: [Int64: LinkRecord.LateDelivery] = [:]
    /// Packets missing in this section of the file: by the counts in later packets, and by the statistics at the
    /// section's end. Both may count the same packets.
    private var missing: (before: UInt64, atEnd: UInt64) = (0, 0)

    /// The number of interfaces in this section; `closedInterfaces` are those whose statistics have been read.
    var openInterfaces = 0
    private var closedInterfaces: Set<Int> = []

    /// Starts a section of the file: adds the packets missing before to the record, and forgets the interfaces.
    mutating func beginSection() {
        (openInterfaces, closedInterfaces) = (0, [])
        record.missing = allMissing
        missing = (0, 0)
    }

    /// Adds a packet to the counts, the history and the late packets.
    mutating func add(_ packet: CapturedPacket, _ fate: PacketFate?, _ timed: TimedPacket, _ budget: ReadingBudget) {
        record.packets += 1
        record.bytes += packet.length
        missing.before &+= packet.lostBefore ?? 0
        record.latest = max(record.latest ?? timed.observed.sent, timed.observed.sent)
        noteHistory(packet, fate, timed)
        guard let fate else { return }
        if case .dropped(let reason) = fate.fate { record.dropped[reason, default: 0] += fate.packets }
        guard let due = fate.dueNanoseconds, let delay = fate.delayNanoseconds,
            let delivered = timed.observed.delivered
        else { return }
        worstLateness = max(worstLateness, delay - due)
        guard delay - due >= Self.tolerance else { return }
        let lateness = Duration.nanoseconds(delay - due)
        let place = delivered.nanoseconds / Self.step
        if let known = late[place] {
            guard known.lateness < lateness else { return }
        } else if !budget.reservePacket() {
            return
        }
        late[place] = LinkRecord.LateDelivery(delivered, by: lateness)
    }

    private mutating func noteHistory(_ packet: CapturedPacket, _ fate: PacketFate?, _ timed: TimedPacket) {
        let way: WritableKeyPath<LinkHistory.Piece, LinkHistory.Carried> =
            timed.direction == .downlink ? \.downlink : \.uplink
        if let delivered = timed.observed.delivered {
            let delay = delivered.nanoseconds - timed.observed.sent.nanoseconds
            record.history.change(at: delivered) { piece in
                piece[keyPath: way].bytes += packet.length
                piece[keyPath: way].packets += timed.wirePackets
                if fate != nil { piece[keyPath: way].delays.add(nanoseconds: delay) }
            }
        } else if let fate, case .dropped(let reason) = fate.fate {
            record.history.change(at: timed.observed.sent) { piece in
                piece[keyPath: way].dropped[reason, default: 0] += fate.packets
            }
        }
    }

    /// Adds the statistics of an interface.
    mutating func add(_ statistics: CaptureStatistics, of interface: Int) {
        missing.atEnd &+= statistics.dropped ?? 0
        record.missingReason = statistics.shortfall ?? record.missingReason
        closedInterfaces.insert(interface)
    }

    /// Adds a round trip.
    mutating func add(_ trip: RoundTripReading.Trip) {
        record.history.change(at: trip.end) { $0.roundTrips.add(trip.length) }
    }

    /// The link's record of all packets so far.
    var result: LinkRecord {
        var result = record
        result.missing = allMissing
        result.worstLateness = .nanoseconds(worstLateness)
        result.isClosed = openInterfaces > 0 && closedInterfaces.count == openInterfaces
        result.late = late.values.sorted { $0.delivered < $1.delivered }
        return result
    }

    private var allMissing: Int {
        let more = Int(clamping: max(missing.before, missing.atEnd))
        return record.missing.addingReportingOverflow(more).overflow ? .max : record.missing + more
    }
}
