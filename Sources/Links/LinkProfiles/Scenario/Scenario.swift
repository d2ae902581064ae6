// SPDX-License-Identifier: Apache-2.0

/// A timeline of profiles: the first one holds from the start, and each step replaces the one before it.
public struct Scenario: Hashable, Sendable {
    /// The name.
    public var name: String
    /// A description in one line.
    public var summary: String?
    /// The profile that holds from the start: on loopback and the uplink, or where there are paths, on loopback.
    public var profile: ProfileReference
    /// The uplinks, where there are several, the preferred one first; empty for one with the conditions of loopback.
    public var paths: [Path] = []
    /// The steps in their order.
    public var steps: [Step]
    /// The number of runs of the list of steps; 1 is once.
    public var `repeat`: Int
    /// The expectations of the client, in their language.
    public var expect: [LocatedText]

    /// One of several uplinks at once.
    public struct Path: Hashable, Sendable {
        /// The name of its interface.
        public var name: String
        /// The profile that holds from the start.
        public var profile: ProfileReference

        /// Makes a path.
        public init(name: String, profile: ProfileReference) { (self.name, self.profile) = (name, profile) }
    }

    /// A moment at which other conditions come into effect.
    public struct Step: Hashable, Sendable {
        /// The name by which expectations, events and reports refer to the step; unique in the scenario.
        public var label: String
        /// The condition that starts the step, counted from the step before it.
        public var after: Trigger
        /// The conditions from then on.
        public var profile: ProfileReference
        /// The fate of the packets that the link holds then.
        public var queued: QueuedPackets
        /// The changes to the uplink's network then.
        public var changes = NetworkChanges()
        /// The name of the path that changes; nil if there is one uplink.
        public var path: String?
        /// Faults that replace the profile's own; nil for the profile's.
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
        /// They come as the conditions before the step determined.
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

    /// The labels of the steps, and the marks that they wait for.
    package var labels: [String] { steps.map(\.label) + steps.compactMap(\.after.mark) }

    /// The profile of the start, those of the paths and those of the steps, in their order.
    public var references: [ProfileReference] { [profile] + paths.map(\.profile) + steps.map(\.profile) }
}

/// A profile that a scenario names or contains.
public struct ProfileReference: Hashable, Sendable {
    /// The profile.
    public let choice: Choice
    /// The path of the value in the scenario.
    public let path: JSONPath
    /// The position of the value in the text.
    public let position: JSON.Position

    /// A profile, or where to find it.
    public enum Choice: Hashable, Sendable {
        /// The name of a profile, to be found in a catalog.
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
    /// The profile of this name.
    public init(stringLiteral name: String) { self.init(.named(name)) }
}
