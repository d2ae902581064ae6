// SPDX-License-Identifier: Apache-2.0

/// The verdict on a target at a time.
public struct PathVerdict: Hashable, Sendable {
    /// The state in a word.
    public enum State: String, CaseIterable, Codable, Sendable {
        /// Nothing is known yet, or no longer.
        case unknown
        /// The target answers.
        case reachable
        /// The target answers, but with more loss or delay than the policy allows.
        case degraded
        /// A portal answers in its place.
        case captive
        /// This host's network works, but hosts beyond it do not answer.
        case limited
        /// The target does not answer.
        case unreachable
        /// The link waits for a request or for authentication, as a modem or 802.1X does.
        case waiting
        /// The target is not judged, because this host counts as offline.
        case suspended
    }

    /// The state.
    public var state: State
    /// The reason why it is not simply reachable; nil if it is.
    public var reason: Reason?
    /// Since when, on the clock of the evidence: an outage begins with its first lost probe.
    public var since: Duration
    /// The number of changes of the verdict; two of one number are the same.
    public var generation = 0
    /// Whether it changes so often that changes are suppressed.
    public var isFlapping = false

    /// Whether a request has a chance.
    public var isReachable: Bool { state.isReachable }
}

extension PathVerdict.State {
    /// Whether a request has a chance.
    public var isReachable: Bool { self == .reachable || self == .degraded }

    /// Whether requests are known to fail.
    public var isDown: Bool {
        switch self {
        case .captive, .limited, .unreachable, .waiting: true
        case .unknown, .reachable, .degraded, .suspended: false
        }
    }

    /// The state that a failure means.
    init(of reason: Reason) {
        self = reason.scope == .portal ? .captive : reason == .dormant ? .waiting : .unreachable
    }
}
