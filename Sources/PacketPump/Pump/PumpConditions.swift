// SPDX-License-Identifier: Apache-2.0

public import LinkEmulation
public import LinkProfiles

/// What a pump does to its traffic, lane by lane. An absent lane leaves its packets untouched; without one for DNS,
/// queries go with the uplink.
public struct PumpConditions: Sendable {
    /// Packets that leave.
    public var uplink: LaneConditions?
    /// Packets that arrive.
    public var downlink: LaneConditions?
    /// Packets that leave for port 53: all that happens to them, the uplink's impairments included.
    public var dns: LaneConditions?
    /// The start of the random sequences.
    public var seed: UInt64

    /// Makes conditions of lanes.
    public init(
        uplink: LaneConditions? = nil,
        downlink: LaneConditions? = nil,
        dns: LaneConditions? = nil,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.uplink = uplink
        self.downlink = downlink
        self.dns = dns
        self.seed = seed
    }

    /// Makes the conditions that `profile` describes.
    public init(_ profile: Profile, traces: [TraceReference: Trace] = [:]) {
        self.init(
            uplink: LaneConditions(profile, .uplink, traces: traces),
            downlink: LaneConditions(profile, .downlink, traces: traces),
            dns: profile.dns.map { _ in LaneConditions(profile, .uplink, isDNS: true, traces: traces) }
        )
        if let seed = profile.seed { self.seed = seed }
    }

    subscript(lane: Lane) -> LaneConditions? {
        switch lane {
        case .uplink: uplink
        case .downlink: downlink
        case .dns: dns
        }
    }
}

/// How much of a packet a lane has to see.
struct LaneNeeds: Equatable {
    /// Whether packets or their bytes count, so that a super-packet must not pass as one.
    var wirePackets: Bool
    /// Whether packets stay for a while.
    var memory: Bool

    init(_ conditions: LaneConditions) {
        let all = [conditions.base] + conditions.steps.map(\.overrides)
        let isPaced = all.contains { $0.rate != nil || $0.trace != nil || $0.jitter != nil }
        wirePackets =
            isPaced
            || all.contains { $0.loss != nil || $0.duplicate != nil || $0.corrupt != nil || $0.reorder != nil }
        memory = isPaced || conditions.addedDelay > .zero || all.contains { ($0.delay ?? .zero) > .zero }
    }
}
