// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkEmulation
import LinkProfiles
import TestKit

@testable import PacketPump

/// The lanes of a run's capture, whose packets can be sent through the model again.
///
/// Of the pump, only the numbering of flows is used (``FlowTable``). The start and the seed are those of the lanes' notes.
struct ReplayedCapture {
    private(set) var notes: [Lane: LaneNote] = [:]
    /// The packets in the order in which they came to the pump, with the time since the start of their lane.
    private(set) var packets: [Packet] = []

    /// A packet with its fate.
    struct Packet {
        let lane: Lane
        let fate: Fate
        /// Nanoseconds from the arrival to the delivery or drop by the model.
        let due: Int64
        /// The arrival; what selects its random numbers in a pipeline that has some.
        var arrival: LinkPipeline.Arrival
        fileprivate let bytes: [UInt8]
        fileprivate let layout: FrameLayout
    }

    init(_ capture: [UInt8]) throws {
        var reader = CaptureReader()
        reader.append(capture)
        var lanes: [LaneNote?] = []
        var found: [(packet: CapturedPacket, note: LaneNote)] = []
        while let record = try reader.next() {
            switch record {
            case .interface(let interface): lanes.append(interface.comment.flatMap(LaneNote.init))
            case .packet(let packet):
                guard let note = lanes[packet.interface] else { throw TestFailure("a lane without a note") }
                found.append((packet, note))
            default: break
            }
        }
        for (packet, note) in found {
            let packet = try Self.packet(packet, note)
            notes[packet.lane] = note
            packets.append(packet)
        }
        try order()
        restoreFields()
        try number()
    }

    private static func packet(_ packet: CapturedPacket, _ note: LaneNote) throws -> Packet {
        guard let fate = packet.fate, let due = fate.dueNanoseconds, fate.packets == 1, !fate.isCopy,
            packet.bytes.count == packet.length, packet.lostBefore == nil
        else { throw TestFailure("not the fate of one whole packet: \(packet.comments)") }
        // A packet to the command has the time at which the command saw it, or at which it was dropped.
        let delay = fate.lane == .downlink ? fate.delayNanoseconds ?? due : 0
        let layout = packet.bytes.withUnsafeBytes { FrameLayout($0) }
        return Packet(
            lane: fate.lane,
            fate: fate.fate,
            due: due,
            arrival: LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: packet.time - delay - note.start),
                frameBytes: layout.countedBytes,
                ecn: ECNSupport(rawValue: layout.congestion) ?? .none
            ),
            bytes: packet.bytes,
            layout: layout
        )
    }

    /// Sorts by arrival. Parts of a super-packet arrive at once, in the order of their numbers.
    private mutating func order() throws {
        let sorted = packets.enumerated().sorted { one, other in
            let (first, second) = (one.element.arrival.time, other.element.arrival.time)
            guard first == second else { return first < second }
            guard let left = one.element.sequence, let right = other.element.sequence, left != right else {
                return one.offset < other.offset
            }
            return left.isBefore(right)
        }
        packets = sorted.map(\.element)
        for (one, other) in zip(packets, packets.dropFirst()) where one.arrival.time == other.arrival.time {
            guard one.sequence != nil, one.sender == other.sender else { throw TestFailure("frames at one time") }
        }
    }

    /// A marked packet is captured as it was delivered. Before, it had the field of its sender's other packets.
    private mutating func restoreFields() {
        var fields: [[UInt8]: ECNSupport] = [:]
        for packet in packets where packet.fate != .marked && packet.arrival.ecn != .none {
            fields[packet.sender] = packet.arrival.ecn
        }
        for index in packets.indices where packets[index].fate == .marked {
            packets[index].arrival.ecn = fields[packets[index].sender] ?? .classic
        }
    }

    /// Numbers flows and packets as the pump does.
    private mutating func number() throws {
        let configuration = PumpConfiguration()
        let table = FlowTable(capacity: configuration.flows, ephemeralPorts: configuration.ephemeralPorts)
        guard var table else { throw TestFailure("no memory") }
        for index in packets.indices {
            let packet = packets[index]
            let flow = packet.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    table.classify($0, packet.layout, now: UInt32(packet.arrival.time.nanoseconds / 1_000_000_000))
                }
            }
            guard let flow, flow.fromOpener == (packet.lane == .uplink) else { throw TestFailure("of no flow") }
            packets[index].arrival.index = flow.position.index(0)
            packets[index].arrival.flow = flow.position.mark
        }
    }

    /// What the model decides about a lane's packets: a departure for each that leaves or is dropped.
    ///
    /// - Parameter seed: another seed than that of the lane's note, to compare with.
    func departures(_ lane: Lane, _ conditions: LaneConditions, seed: UInt64? = nil) throws -> [Departure?] {
        guard let note = notes[lane] else { throw TestFailure("no packet of the \(lane)") }
        var pipeline = LinkPipeline(
            conditions,
            seed: seed ?? note.seed,
            lane: UInt64(lane.rawValue),
            start: LinkTime(nanoseconds: 0)
        )
        let isRandom = LaneNeeds(conditions).isRandom
        let arrivals = packets.filter { $0.lane == lane }.map { packet in
            var arrival = packet.arrival
            if !isRandom { arrival.index = nil }
            return arrival
        }
        var departures = [Departure?](repeating: nil, count: arrivals.count)
        pipeline.simulate(arrivals) { departures[Int($0.tag)] = $0 }
        return departures
    }

    /// Where the model decides otherwise than the run did: the positions among the lane's packets.
    func differences(_ lane: Lane, from departures: [Departure?]) -> [Int] {
        let packets = packets.filter { $0.lane == lane }
        let last = packets.filter { $0.hasLeft }.map(\.end).max() ?? .min
        return packets.indices.filter { !packets[$0].agrees(with: departures[$0], lastToLeave: last) }
    }
}

extension ReplayedCapture.Packet {
    /// The time of its delivery or drop.
    fileprivate var end: Int64 { arrival.time.nanoseconds + due }

    /// Whether it has left the link; what refused it was the command's socket, which had no room for it or was gone.
    fileprivate var hasLeft: Bool { fate == .passed || fate == .marked || fate == .dropped(.refused) }

    /// Whether the model has decided the same. Of the packets that the link held when the run ended, all were to leave after
    /// those that have left.
    fileprivate func agrees(with departure: Departure?, lastToLeave last: Int64) -> Bool {
        if fate == .dropped(.stopped) { return departure.map { $0.due.nanoseconds >= min(last, end) } ?? true }
        guard let departure, departure.due.nanoseconds == end else { return false }
        switch fate {
        case .passed: return departure.drop == nil && !departure.isMarked
        case .marked: return departure.drop == nil && departure.isMarked
        case .dropped(.refused): return departure.drop == nil
        case .dropped(let reason): return departure.drop == reason
        default: return false
        }
    }

    /// The number of a TCP packet's first byte.
    fileprivate var sequence: TCPSequence? {
        guard layout.kind == .tcp, layout.transport > 0 else { return nil }
        let start = Int(layout.transport) + 4
        var number: UInt32 = 0
        for byte in bytes[start..<start + 4] { number = number << 8 | UInt32(byte) }
        return TCPSequence(number)
    }

    /// The protocol, and the addresses and ports of the sender and the receiver.
    fileprivate var sender: [UInt8] {
        var sender = [layout.transportProtocol]
        let start = Int(layout.addresses)
        sender += bytes[start..<start + 2 * layout.addressLength]
        for port in [layout.sourcePort, layout.destinationPort] {
            withUnsafeBytes(of: port) { sender += $0 }
        }
        return sender
    }
}
