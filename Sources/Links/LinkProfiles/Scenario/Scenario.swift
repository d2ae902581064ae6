// SPDX-License-Identifier: Apache-2.0

/// A timeline of profiles: `profile` applies from the start, and each step replaces the profile before it.
public struct Scenario: Hashable, Sendable {
    /// The name.
    public var name: String
    /// A description in one line.
    public var summary: String?
    /// The profile from the start: on loopback and the uplink; with `paths`, on loopback only.
    public var profile: ProfileReference
    /// The uplinks, the preferred one first; empty for a single uplink with the same profile as loopback.
    public var paths: [Path] = []
    /// The steps in chronological order.
    public var steps: [Step]
    /// The number of times that the list of steps runs.
    public var `repeat`: Int
    /// The expectations of the client, in the language of expectations.
    public var expect: [LocatedText]

    /// One of several simultaneous uplinks.
    public struct Path: Hashable, Sendable {
        /// The name of the uplink's interface.
        public var name: String
        /// The profile from the start.
        public var profile: ProfileReference

        /// Makes a path.
        public init(name: String, profile: ProfileReference) { (self.name, self.profile) = (name, profile) }
    }

    /// A change of the conditions.
    public struct Step: Hashable, Sendable {
        /// The name by which expectations, events and reports refer to the step; unique in the scenario.
        public var label: String
        /// The event that starts the step, counted from the start of the previous step.
        public var after: Trigger
        /// The profile from this step on.
        public var profile: ProfileReference
        /// The fate of the packets that the link holds when the step starts.
        public var queued: QueuedPackets
        /// The changes that the step makes to the uplink's network.
        public var changes = NetworkChanges()
        /// The name of the path that the step changes; nil if the scenario has a single uplink.
        public var path: String?
        /// The faults that replace the profile's; nil to keep the profile's faults.
        public var faults: [Fault]?

        /// Makes a step.
        public init(
            label: String,
            after: Trigger,
            profile: ProfileReference,
            queued: QueuedPackets = .delivered,
            faults: [Fault]? = nil
        ) {
            (self.label, self.after, self.profile, self.queued) = (label, after, profile, queued)
            self.faults = faults
        }
    }

    /// The fate of the packets that a link holds when a step takes effect: those in its buffer, and those in flight.
    public enum QueuedPackets: String, CaseIterable, Hashable, Sendable {
        /// They are delivered as the conditions before the step determined.
        case delivered
        /// They are dropped, as by a cut cable.
        case dropped
    }

    /// Makes a scenario.
    public init(
        name: String,
        profile: ProfileReference,
        steps: [Step] = [],
        repeat: Int = 1,
        expect: [LocatedText] = []
    ) {
        self.name = name
        self.profile = profile
        self.steps = steps
        self.repeat = `repeat`
        self.expect = expect
    }

    /// The labels of the steps, and the names of the marks that steps wait for.
    package var labels: [String] { steps.map(\.label) + steps.compactMap(\.after.mark) }

    /// All references to profiles: `profile`, then the paths' in order, then the steps' in order.
    public var references: [ProfileReference] { [profile] + paths.map(\.profile) + steps.map(\.profile) }
}

/// A reference to a profile in a scenario: by name, or the profile itself.
public struct ProfileReference: Hashable, Sendable {
    /// The name or the profile.
    public let choice: Choice
    /// The path of the value in the scenario.
    public let path: JSONPath
    /// The position of the value in the text.
    public let position: JSON.Position

    /// A profile's name, or the profile itself.
    public enum Choice: Hashable, Sendable {
        /// The name of a profile in a catalog, or the path of its file.
        case named(String)
        /// The profile itself.
        case inline(Profile)
    }

    /// Makes a reference that was not read from a text.
    public init(_ choice: Choice) {
        self.init(choice, path: .root, position: .start)
    }

    init(_ choice: Choice, path: JSONPath, position: JSON.Position) {
        (self.choice, self.path, self.position) = (choice, path, position)
    }

    /// The profile's name, as the scenario spells it.
    public var name: String {
        switch choice {
        case .named(let name): name
        case .inline(let profile): profile.name
        }
    }
}

extension ProfileReference: ExpressibleByStringLiteral {
    /// Makes a reference to the profile of this name.
    public init(stringLiteral name: String) { self.init(.named(name)) }
}
