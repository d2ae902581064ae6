// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// How far a run has come, for people who watch it.
public struct RunProgress: Hashable, Sendable {
    /// The step that comes next.
    public struct Next: Hashable, Sendable {
        /// Its label.
        public var label: String
        /// What it waits for, such as "10 kB".
        public var trigger: String
        /// How long it still waits, if it waits for a time.
        public var rest: Duration?
    }

    /// The time since the command was started.
    public var elapsed: Duration
    /// The label of the step in effect, else the name of the profile; nil without conditions.
    public var conditions: String?
    /// The next step; nil if there is none.
    public var next: Next?
    /// The TCP connections that were begun in the network.
    public var connections: UInt64
    /// About how many packets the link has dropped: those dropped just before a change of conditions may be missing.
    public var droppedPackets: UInt64

    /// A run that has just begun.
    init(conditions: String?) {
        (self.conditions, elapsed, connections, droppedPackets) = (conditions, .zero, 0, 0)
    }
}

extension RunProgress {
    /// "in the lift, 'out again' in 2 s, 14 connections, 31 packets lost, 48 s left"
    ///
    /// - Parameter timeout: the time after which the command is ended; nil for none.
    func words(timeout: Duration?) -> String {
        var parts = [conditions ?? "no conditions"]
        if let next {
            let isNamed = next.trigger.hasPrefix("mark ")
            let wait =
                next.rest.map { "in \($0.wholeSeconds)" } ?? (isNamed ? "at \(next.trigger)" : "after \(next.trigger)")
            parts.append("'\(next.label)' \(wait)")
        }
        parts.append(connections == 1 ? "1 connection" : "\(connections) connections")
        parts.append(droppedPackets == 1 ? "1 packet lost" : "\(droppedPackets) packets lost")
        if let timeout {
            parts.append("\(max(timeout - elapsed, .zero).wholeSeconds) left")
        } else {
            parts.append(elapsed.wholeSeconds)
        }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    /// "7 s", "3 min 20 s"; what has begun counts.
    package var wholeSeconds: String { Duration.seconds((self / .seconds(1)).rounded(.up)).words }
}
