// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

/// How far a run has come, for people who watch it.
package struct RunProgress: Hashable, Sendable {
    /// The step that comes next.
    package struct Next: Hashable, Sendable {
        package var label: String
        /// What it waits for, such as "10 kB".
        package var trigger: String
        /// How long it still waits, if it waits for a time.
        package var rest: Duration?
    }

    /// The time since the command was started.
    package var elapsed = Duration.zero
    /// The label of the step in effect, else the name of the profile; nil without conditions.
    package var conditions: String?
    /// The next step; nil if there is none.
    package var next: Next?
    /// The TCP connections that were begun in the network.
    package var connections: UInt64 = 0
    /// About how many packets the link has dropped: those dropped just before a change of conditions may be missing.
    package var droppedPackets: UInt64 = 0

    init(conditions: String?) { self.conditions = conditions }
}

extension RunProgress {
    var json: JSON {
        let next = next.map { next in
            JSON(
                ("label", .text(next.label)),
                ("trigger", .text(next.trigger)),
                ("rest", .number(next.rest?.nanoseconds))
            )
        }
        return JSON(
            ("elapsed", .number(elapsed.nanoseconds)),
            ("conditions", .text(conditions)),
            ("next", next),
            ("connections", .number(connections)),
            ("dropped", .number(droppedPackets))
        )
    }

    init?(json: JSON) {
        guard let elapsed: Int64 = json.required("elapsed"), let connections: UInt64 = json.required("connections"),
            let dropped: UInt64 = json.required("dropped")
        else { return nil }
        self.init(conditions: json.required("conditions"))
        (self.elapsed, self.connections, droppedPackets) = (.nanoseconds(elapsed), connections, dropped)
        if let next = json["next"], let label: String = next.required("label"),
            let trigger: String = next.required("trigger")
        {
            let rest = next.required("rest").map { (rest: Int64) in Duration.nanoseconds(rest) }
            self.next = Next(label: label, trigger: trigger, rest: rest)
        }
    }
}
