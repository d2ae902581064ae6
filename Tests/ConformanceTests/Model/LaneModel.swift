// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// What a right engine does to one direction: the pure pipeline on the same arrivals.
struct LaneModel: Sendable {
    let conditions: LaneConditions
    /// The number under which the userspace engine draws for this direction (`Lane`).
    let lane: UInt64

    /// The probe's on a conditioned link: UDP to port 7000 of 127.0.0.1, the first one, since no pump carries a link without
    /// conditions.
    private static let flow = PacketIndex.flow(
        transport: 17,
        isIPv6: false,
        client: (0, 0x7F00_0001),
        server: (0, 0x7F00_0001),
        port: 7000,
        number: 0
    )

    init(_ profile: Profile, _ direction: Direction) {
        let kind: Lane = direction == .uplink ? .uplink : .downlink
        conditions = LaneConditions(profile, kind)
        lane = UInt64(kind.rawValue)
    }

    /// What becomes of packets that are sent at these times.
    func record(of sends: [Int64], frameBytes: Int, seed: UInt64) -> FlowRecord {
        let start = LinkTime(nanoseconds: sends.first ?? 0)
        var pipeline = LinkPipeline(conditions, seed: seed, lane: lane, start: start)
        var arrivals: [FlowRecord.Arrival] = []
        let isAnswer = lane == UInt64(Lane.downlink.rawValue)
        let packets = sends.enumerated().map { number, time in
            let index = PacketIndex.packet(.count, UInt32(number), isAnswer: isAnswer, flow: Self.flow)
            return LinkPipeline.Arrival(time: LinkTime(nanoseconds: time), frameBytes: frameBytes, index: index)
        }
        pipeline.simulate(packets) { departure in
            guard departure.drop == nil else { return }
            arrivals.append(.init(packet: Int(departure.tag), time: departure.due.nanoseconds))
        }
        return FlowRecord(frameBytes: frameBytes, sends: sends, arrivals: arrivals)
    }

    /// Whether what happens differs from seed to seed.
    var isRandom: Bool {
        let base = conditions.base
        return base.jitter != nil || base.loss != nil || base.duplicate != nil || base.reorder != nil
    }
}
