// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit

@testable import ClientVerdicts
@testable import PacketPump
@testable import TestPackets

/// What the pump does, without a device and with a clock that is passed in: packets go through the pipelines of their
/// lanes, and each fate is recorded.
final class SimulatedLink {
    private struct Parcel {
        var packet: TestPacket
        var frame: [UInt8]
        var arrival: Int64
        var number: UInt64
    }

    let recorder: PacketRecorder
    /// Takes what the link delivers.
    var deliver: (TestPacket) -> Void = { _ in }
    /// The bytes of packets of which the link changed a bit, from the IP header on: what they were is not certain.
    private(set) var damagedBytes = 0
    /// The pipelines of each lane: new packets go into the last.
    private var pipelines: [Lane: [LinkPipeline]] = [:]
    private var parcels: [UInt32: Parcel] = [:]
    private var tag: UInt32 = 0
    private var generator: SeededGenerator

    init(_ recorder: PacketRecorder, seed: UInt64) {
        self.recorder = recorder
        generator = SeededGenerator(seed: seed)
    }

    /// Changes the conditions: what is under way stays so.
    func apply(_ profile: Profile, at now: Int64) {
        for lane in Lane.allCases where lane != .dns || profile.dns != nil || pipelines[.dns] != nil {
            let conditions = LaneConditions(profile, lane == .dns && profile.dns == nil ? .uplink : lane)
            let (seed, start) = (generator.next(), LinkTime(nanoseconds: now))
            pipelines[lane, default: []].append(
                LinkPipeline(conditions, seed: seed, lane: UInt64(lane.rawValue), start: start)
            )
        }
    }

    func send(_ packet: TestPacket, at now: Int64) {
        let isQuery = packet.isFromClient && packet.serverPort == 53 && pipelines[.dns] != nil
        let lane: Lane = isQuery ? .dns : packet.isFromClient ? .uplink : .downlink
        guard let last = pipelines[lane]?.indices.last else { return }
        tag += 1
        let parcel = Parcel(
            packet: packet,
            frame: Array(repeating: 0, count: 12) + [8, 0] + packet.bytes,
            arrival: now,
            number: recorder.arrive(at: now, pieces: 1, lane)
        )
        let time = LinkTime(nanoseconds: now)
        switch pipelines[lane]?[last].accept(arrival: time, frameBytes: parcel.frame.count, tag: tag) {
        case .dropped(let reason): record(parcel, .dropped(reason), lane, due: now)
        case .admitted(let copies):
            if copies > 1 { recorder.change(parcel.number, by: copies - 1, at: now, lane) }
            parcels[tag] = parcel
        case nil: break
        }
    }

    /// When the link delivers or drops a packet next; nil if it holds none.
    var next: Int64? {
        var next: Int64?
        for lane in Lane.allCases {
            for index in pipelines[lane]?.indices ?? 0..<0 {
                guard let time = pipelines[lane]?[index].nextDeparture?.nanoseconds else { continue }
                next = min(next ?? time, time)
            }
        }
        return next
    }

    /// Delivers what is due.
    func advance(to now: Int64) {
        for lane in Lane.allCases {
            for index in pipelines[lane]?.indices ?? 0..<0 {
                while let departure = pipelines[lane]?[index].popDeparture(upTo: LinkTime(nanoseconds: now)) {
                    depart(departure, lane)
                }
            }
        }
    }

    private func depart(_ departure: Departure, _ lane: Lane) {
        guard var parcel = parcels[departure.tag] else { return }
        let due = departure.due.nanoseconds
        let isCopy = departure.copy > 0
        if let reason = departure.drop { return record(parcel, .dropped(reason), lane, due: due, isCopy: isCopy) }
        if let bit = departure.corruptedBit {
            parcel.frame[14 + Int(bit / 8)] ^= 1 << UInt8(bit % 8)
            damagedBytes += parcel.frame.count - 14
            return record(parcel, .corrupted, lane, due: due, departure: due, isCopy: isCopy)
        }
        record(parcel, isCopy ? .duplicate : .passed, lane, due: due, departure: due, isCopy: isCopy)
        deliver(parcel.packet)
    }

    /// Ends the link: what it holds is lost.
    func stop(at now: Int64) {
        for (lane, all) in pipelines {
            for var pipeline in all {
                while let departure = pipeline.popDeparture(upTo: .never) {
                    guard let parcel = parcels[departure.tag] else { continue }
                    record(parcel, .dropped(.stopped), lane, due: now, isCopy: departure.copy > 0)
                }
            }
        }
        pipelines = [:]
        deliver = { _ in }
    }

    private func record(
        _ parcel: Parcel,
        _ fate: Fate,
        _ lane: Lane,
        due: Int64,
        departure: Int64 = -1,
        isCopy: Bool = false
    ) {
        let packet = RecordedPacket(
            arrival: parcel.arrival,
            due: due,
            departure: departure,
            number: parcel.number,
            counted: UInt32(parcel.frame.count),
            pieces: 1,
            kind: .packet,
            lane: lane,
            fate: fate,
            isCopy: isCopy
        )
        parcel.frame.withUnsafeBytes { recorder.add(packet, $0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
}
