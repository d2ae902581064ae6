// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Something that happened during a run.
package struct RunEvent: Sendable {
    /// The kind, in one word.
    package var name: String
    /// What else the event tells.
    package var members: [(String, JSON?)]

    /// Makes an event.
    package init(_ name: String, _ members: [(String, JSON?)] = []) {
        (self.name, self.members) = (name, members)
    }

    /// The command was started.
    package static let begin = RunEvent("begin")

    /// The command has ended.
    package static let end = RunEvent("end")

    /// The client is observed from a time on, in nanoseconds since 1970, that is not the run's begin.
    package static func observing(since time: Int64) -> RunEvent {
        RunEvent("observing", [("since", .number(time))])
    }

    /// A client has changed the conditions.
    package static func conditions(profile: String) -> RunEvent {
        RunEvent("conditions", [("profile", .text(profile))])
    }

    /// A step of a scenario took effect.
    package static func step(_ label: String, profile: String) -> RunEvent {
        RunEvent("step", [("label", .text(label)), ("profile", .text(profile))])
    }

    /// A step of a scenario failed, and the conditions before it stay in effect.
    package static func failed(_ label: String, reason: String) -> RunEvent {
        RunEvent("failed", [("label", .text(label)), ("reason", .text(reason))])
    }

    /// A step of a scenario never began.
    package static func missed(_ label: String, waitingFor trigger: Trigger) -> RunEvent {
        RunEvent("missed", [("label", .text(label)), ("for", .text(trigger))])
    }

    /// The client has reached a point that it names.
    package static func mark(_ name: String) -> RunEvent {
        RunEvent("mark", [("name", .text(name))])
    }

    /// The event at a time in nanoseconds since 1970, as a line of JSON.
    func line(at time: Int64) -> [UInt8] {
        Array("\(JSON(members: [("time", .number(time)), ("event", .text(name))] + members).line)\n".utf8)
    }
}
