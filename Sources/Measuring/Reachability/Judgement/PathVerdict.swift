// SPDX-License-Identifier: Apache-2.0

/// The verdict on a target at a point in time.
public struct PathVerdict: Hashable, Sendable {
    /// The state of a target.
    public enum State: String, CaseIterable, Codable, Sendable {
        /// Nothing is known yet, or the evidence is out of date.
        case unknown
        /// The target answers.
        case reachable
        /// The target answers, but with more loss or delay than the policy allows.
        case degraded
        /// A portal answers in the target's place.
        case captive
        /// This host's network works, but hosts beyond it do not answer.
        case limited
        /// The target does not answer.
        case unreachable
        /// The link waits to be dialled or authenticated, as with a modem or 802.1X.
        case waiting
        /// The target is not judged, because this host counts as offline.
        case suspended
    }

    /// The state.
    public var state: State
    /// The reason for any other state than `reachable`; nil if reachable.
    public var reason: Reason?
    /// When the state began, on the clock of the evidence: an outage begins with its first lost probe.
    public var since: Duration
    /// The number of changes of the verdict so far; two verdicts with the same number are the same.
    public var generation = 0
    /// Whether the verdict changes so often that changes are suppressed.
    public var isFlapping = false

    /// Whether a request is likely to succeed: `reachable` or `degraded`.
    public var isReachable: Bool { state.isReachable }
}

extension PathVerdict.State {
    /// Whether a request is likely to succeed.
    public var isReachable: Bool { self == .reachable || self == .degraded }

    /// Whether requests are known to fail.
    public var isDown: Bool {
        switch self {
        case .captive, .limited, .unreachable, .waiting: true
        case .unknown, .reachable, .degraded, .suspended: false
        }
    }

    /// The state that follows from a failure.
    init(of reason: Reason) {
        self = reason.scope == .portal ? .captive : reason == .dormant ? .waiting : .unreachable
    }
}
