// SPDX-License-Identifier: Apache-2.0

/// An event of a target, or of the monitor.
public struct Event: Hashable, Sendable {
    /// The kinds of events.
    public enum Kind: Hashable, Sendable {
        /// The first event of each target in a subscription, with its current status.
        case initial
        /// The state changed.
        case stateChanged(from: PathVerdict.State)
        /// The reason changed, but not the state.
        case reasonChanged(from: Reason?)
        /// The measured quality changed.
        case qualityChanged(from: QualityClass?)
        /// Packets to the target leave this host by another path.
        case pathChanged(from: Path?)
        /// The name resolves to other addresses.
        case addressesChanged
        /// An interface, address or route of this host changed.
        case link(LinkEvent)
        /// Changes are too frequent and are suppressed from now on.
        case flapStarted
        /// Changes are reported again.
        case flapEnded
        /// The target stopped answering.
        case outageStarted
        /// The target answers again, after this time.
        case outageEnded(Duration)
        /// A portal answers in the target's place; the location to which it redirects, if it does.
        case portalDetected(location: String?)
        /// The portal no longer answers.
        case portalCleared
        /// The conditions on the path changed.
        case conditionsChanged(from: PathConditions?)
        /// Measurements contradict the conditions.
        case expectationMissed(ConditionsMismatch)
        /// One cause explains the failure of several targets; reported once for all of them.
        case causeFound(Target, children: [Target])
        /// The cause of these failures is gone.
        case causeCleared(Target, children: [Target])
        /// This host was suspended, or this process stopped, for this time, so earlier verdicts are out of date.
        case resumed(after: Duration)
        /// The result of one probe, for subscriptions that request samples.
        case sample(Observation)
        /// This number of events was dropped because the subscriber was too slow.
        case dropped(Int)
        /// The monitor was shut down; no more events follow.
        case ended
    }

    /// The kind of the event.
    public var kind: Kind
    /// The status of the target after the event; nil for events without a target.
    public var status: Status?
    /// When it occurred, on CLOCK_MONOTONIC.
    public var time: Duration
    /// The event's number among all events of the monitor.
    public var sequence: UInt64 = 0

    /// The target; nil for events without a target.
    public var target: Target? { status?.target }

    /// Whether the event follows from a cause that is reported by another event.
    public var isConsequence: Bool { status?.cause != nil }
}
