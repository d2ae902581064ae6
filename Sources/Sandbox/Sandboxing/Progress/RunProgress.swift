// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import LinuxSystem

/// The progress of a run, for people who watch it.
package struct RunProgress: Hashable, Sendable {
    /// The step that comes next.
    package struct Next: Hashable, Sendable {
        package var label: String
        /// The condition that starts the step, such as "10 kB".
        package var trigger: String
        /// The time until the step starts; nil if the step does not wait for a time.
        package var rest: Duration?
    }

    /// The time since the command was started.
    package var elapsed = Duration.zero
    /// The label of the step in effect, or the name of the profile; nil without conditions.
    package var conditions: String?
    /// The next step; nil if there is none.
    package var next: Next?
    /// The TCP connections that were begun in the network.
    package var connections: UInt64 = 0
    /// The approximate number of packets that the link has dropped: a change of conditions may lose the latest ones.
    package var droppedPackets: UInt64 = 0

    init(conditions: String?) { self.conditions = conditions }
}

extension RunProgress: JSONObject {
    package static let blank = RunProgress(conditions: nil)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("elapsed", &elapsed)
        members.lenient("conditions", &conditions)
        members.lenient("next", &next)
        members.required("connections", &connections)
        members.required("dropped", &droppedPackets)
    }
}

extension RunProgress.Next: JSONObject {
    package static let blank = Self(label: "", trigger: "")

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("label", &label)
        members.required("trigger", &trigger)
        members.lenient("rest", &rest)
    }
}
