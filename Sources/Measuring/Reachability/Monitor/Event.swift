// SPDX-License-Identifier: Apache-2.0

/// An event of a target, or of the monitor.
public struct Event: Hashable, Sendable {
    /// The kinds of events.
    public enum Kind: Hashable, Sendable {
        /// The first events of every subscription: the present status of each target.
        case initial
        /// The state changed.
        case stateChanged(from: PathVerdict.State)
        /// The reason changed, the state did not.
        case reasonChanged(from: Reason?)
        /// The path became better or worse, by measure.
        case qualityChanged(from: QualityClass?)
        /// Packets leave this host another way.
        case pathChanged(from: Path?)
        /// The name stands for other addresses.
        case addressesChanged
        /// An event of an interface, address or route of this host.
        case link(LinkEvent)
        /// Changes are too frequent and are suppressed from now on.
        case flapStarted
        /// Changes are reported again.
        case flapEnded
        /// The target stopped answering.
        case outageStarted
        /// The target answers again, after this time.
        case outageEnded(Duration)
        /// A portal answers in the target's place; where it sends to, if it says so.
        case portalDetected(location: String?)
        /// The portal is gone.
        case portalCleared
        /// The path has these conditions now, or none.
        case conditionsChanged(from: PathConditions?)
        /// Measurements contradict the conditions.
        case expectationMissed(ConditionsMismatch)
        /// One cause explains the failure of several targets; reported once for all of them.
        case causeFound(Target, children: [Target])
        /// The cause of those failures is gone.
        case causeCleared(Target, children: [Target])
        /// This host was suspended, or this process stopped, for this time: earlier verdicts are old.
        case resumed(after: Duration)
        /// One probe's result, for subscriptions that ask for it.
        case sample(Observation)
        /// This number of events was dropped because the subscriber was too slow.
        case dropped(Int)
        /// The monitor was shut down; nothing follows.
        case ended
    }

    /// The event.
    public var kind: Kind
    /// The status of the target now; nil for events that are about none.
    public var status: Status?
    /// When, on CLOCK_MONOTONIC.
    public var time: Duration
    /// The number of the event among all of the monitor's.
    public var sequence: UInt64 = 0

    /// The target; nil for events that are about none.
    public var target: Target? { status?.target }

    /// Whether this follows from a cause that has an event of its own.
    public var isConsequence: Bool { status?.cause != nil }
}
