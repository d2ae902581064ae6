// SPDX-License-Identifier: Apache-2.0

package import LinkEmulation
package import LinkProfiles

/// The conditions of a pump by lane. Packets of an absent lane are not conditioned; without a DNS lane, queries use the
/// uplink's.
package struct PumpConditions: Sendable {
    package var uplink: LaneConditions?
    package var downlink: LaneConditions?
    /// Includes the uplink's impairments.
    package var dns: LaneConditions?
    /// Faults, which decide about packets before their lane does.
    package var faults: [Fault] = []
    /// The changes of the lanes' figures; nil if there are none.
    var schedule: Schedule?
    package var seed: UInt64

    package init(
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
    package init(_ profile: Profile, traces: [TraceReference: Trace] = [:]) {
        self.init(
            uplink: LaneConditions(profile, .uplink, traces: traces),
            downlink: LaneConditions(profile, .downlink, traces: traces),
            dns: profile.dns.map { _ in LaneConditions(profile, .dns, traces: traces) }
        )
        (faults, schedule) = (profile.faults, profile.schedule)
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

/// The properties of a lane that determine how its packets are stored.
struct LaneNeeds: Equatable {
    /// Whether a super-packet must be treated as its wire packets.
    var wirePackets: Bool
    /// Whether packets are held for some time.
    var memory: Bool
    /// Whether there are random decisions.
    var isRandom: Bool

    init(_ conditions: LaneConditions) {
        let all = [conditions.base] + conditions.steps.map(\.overrides)
        wirePackets = all.contains(where: \.needsWirePackets)
        isRandom = all.contains(where: \.isRandom)
        memory = all.contains { figures in
            figures.rate != nil || figures.trace != nil || figures.jitter != nil || (figures.delay ?? .zero) > .zero
        }
    }
}
