// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// The state of a target at a time, and the evidence for it.
public struct Status: Hashable, Sendable {
    /// The target.
    public let target: Target
    /// The state in a word.
    public var state = PathVerdict.State.unknown
    /// The reason why it is not simply reachable; nil if it is, and before anything is known.
    public var reason: Reason?
    /// Since when, on the clock of CLOCK_MONOTONIC (clock_gettime(2)): an outage begins with its first lost probe.
    public var since: Duration
    /// The number of changes of state or reason.
    public var generation = 0
    /// Whether it changes so often that changes are not reported one by one.
    public var isFlapping = false
    /// The quality; nil until there are enough probes.
    public var quality: QualityClass?
    /// The probes that this rests on.
    public var statistics = Statistics()
    /// The time of the last evidence, on the same clock; nil for never.
    public var lastEvidence: Duration?
    /// The path of packets from this host to it; nil if there is no address yet.
    public var path: Path?
    /// The status of each address.
    public var addresses: [AddressStatus] = []
    /// The cause of the failure of this and perhaps other targets; nil if it is the target itself, or nothing fails.
    public var cause: Target?
    /// The conditions on the path.
    public var conditions: PathConditions?
    /// Whether the conditions explain the state; nil if there is nothing to explain.
    public var isExplained: Bool?
    /// "uplink" if a program of this host terminates the connections: its answers need not be the target's.
    public var via: String?
    /// The last observation: errors, offender, phases.
    public var observation: Observation?

    /// Makes a status of which nothing is known yet.
    init(_ target: Target, at time: Duration) {
        self.target = target
        since = time
    }

    /// Whether a request has a chance.
    public var isReachable: Bool { state.isReachable }
}

/// The status of one of a target's addresses.
public struct AddressStatus: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The state in a word.
    public var state: PathVerdict.State
    /// The reason why it is not simply reachable.
    public var reason: Reason?
    /// The last round-trip time.
    public var roundTrip: Duration?
}
