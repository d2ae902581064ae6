// SPDX-License-Identifier: Apache-2.0

package import LinkEmulation
package import LinkProfiles

/// The effect of a correct engine on one lane: the userspace engine's pipeline, applied to the same packets.
package struct LaneModel: Sendable {
    package let conditions: LaneConditions
    /// The lane's number, which selects the userspace engine's random numbers (`Lane`).
    private let lane: Lane

    /// The flow of a probe on a conditioned link: UDP to port 7000 of 127.0.0.1, with number 0, since no userspace
    /// engine sees packets before the conditions take effect.
    private static let flow = PacketIndex.flow(
        transport: 17,
        isIPv6: false,
        client: (0, 0x7F00_0001),
        server: (0, 0x7F00_0001),
        port: 7000,
        number: 0
    )
    /// The bits of an IPv4 and a UDP header: a packet with a flipped bit there is lost. netem flips any bit, the
    /// userspace engine only bits of the payload.
    private static let headerBits: UInt32 = 28 * 8

    package init(_ profile: Profile, _ lane: Lane, traces: [TraceReference: Trace] = [:]) {
        conditions = LaneConditions(profile, lane, traces: traces)
        self.lane = lane
    }

    package init(_ profile: Profile, _ direction: Direction) {
        self.init(profile, direction == .uplink ? Lane.uplink : .downlink)
    }

    /// Models the fates of packets that are sent at these times.
    ///
    /// - Parameters:
    ///   - start: when the conditions took effect, which schedules and recordings count from; nil for the first packet.
    ///   - isECNCapable: whether the packets may be marked instead of lost.
    ///   - losesDamaged: whether a packet that is damaged anywhere is lost.
    ///   - damagesHeaders: whether a bit may be flipped in a header, too.
    package func record(
        of sends: [Int64],
        frameBytes: Int,
        seed: UInt64,
        start: Int64? = nil,
        isECNCapable: Bool = false,
        losesDamaged: Bool = false,
        damagesHeaders: Bool = true
    ) -> FlowRecord {
        let start = LinkTime(nanoseconds: start ?? sends.first ?? 0)
        var pipeline = LinkPipeline(conditions, seed: seed, lane: UInt64(lane.rawValue), start: start)
        var arrivals: [FlowRecord.Arrival] = []
        let isAnswer = lane == .downlink
        let packets = sends.enumerated().map { number, time in
            let index = PacketIndex.packet(.count, UInt32(number), isAnswer: isAnswer, flow: Self.flow)
            return LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: time),
                frameBytes: frameBytes,
                ecn: isECNCapable ? .classic : .none,
                index: index
            )
        }
        pipeline.simulate(packets) { departure in
            let isDamaged = departure.corruptedBit != nil
            guard departure.drop == nil, !(losesDamaged && isDamaged),
                !damagesHeaders || departure.corruptedBit ?? .max >= Self.headerBits
            else { return }
            arrivals.append(
                .init(
                    packet: Int(departure.tag),
                    time: departure.due.nanoseconds,
                    isDamaged: isDamaged,
                    isMarked: departure.isMarked
                )
            )
        }
        return FlowRecord(frameBytes: frameBytes, sends: sends, arrivals: arrivals)
    }

    /// Whether the fates depend on the seed.
    package var isRandom: Bool { conditions.isRandom }

    /// Whether the conditions change with time.
    package var isScheduled: Bool { !conditions.steps.isEmpty || conditions.base.trace != nil }
}

extension LaneConditions {
    /// Whether the effect depends on the seed. Some managed queues draw random numbers, and competing traffic begins at
    /// random.
    var isRandom: Bool {
        ([base] + steps.map(\.overrides)).contains { figures in
            figures.isRandom || figures.queueManagement != nil || figures.competing?.isEmpty == false
        }
    }
}
