// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// The state of a target at a point in time, and the evidence for it.
public struct Status: Hashable, Sendable {
    /// The target.
    public let target: Target
    /// The state.
    public var state = PathVerdict.State.unknown
    /// The reason for any other state than `reachable`; nil if reachable, and before anything is known.
    public var reason: Reason?
    /// When the state began, on CLOCK_MONOTONIC (clock_gettime(2)): an outage begins with its first lost probe.
    public var since: Duration
    /// The number of changes of state or reason so far.
    public var generation = 0
    /// Whether the state changes so often that single changes are not reported.
    public var isFlapping = false
    /// The measured quality; nil until there are enough probes.
    public var quality: QualityClass?
    /// Statistics of the probes on which the quality rests.
    public var statistics = Statistics()
    /// When the last evidence was sent, on CLOCK_MONOTONIC; nil if there was none.
    public var lastEvidence: Duration?
    /// The path of packets from this host to the target; nil if no address is known yet.
    public var path: Path?
    /// The status of each address.
    public var addresses: [AddressStatus] = []
    /// The target whose failure causes the failure of this one, and perhaps of others; nil if there is none.
    public var cause: Target?
    /// The conditions on the path; nil if there are none.
    public var conditions: PathConditions?
    /// Whether the conditions explain the state; nil if there is nothing to explain.
    public var isExplained: Bool?
    /// "uplink" if a program on this host terminates the connections, so that answers may come from it and not from the
    /// target; else nil.
    public var via: String?
    /// The last observation, with errors and times.
    public var observation: Observation?

    /// Makes a status without evidence.
    init(_ target: Target, at time: Duration) {
        self.target = target
        since = time
    }

    /// Whether a request is likely to succeed.
    public var isReachable: Bool { state.isReachable }
}

/// The status of one of a target's addresses.
public struct AddressStatus: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The state.
    public var state: PathVerdict.State
    /// The reason for any other state than `reachable`; nil if reachable.
    public var reason: Reason?
    /// The last round-trip time.
    public var roundTrip: Duration?
}
