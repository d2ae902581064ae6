// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles
public import LinuxSystem

/// A request for a rule: conditions, traffic, engine, time limit and origin.
public struct RuleRequest: Sendable {
    /// The conditions.
    public var profile: Profile
    /// The traffic that they apply to.
    public var selection: Selection
    /// The host whose link the profile describes.
    public var facing = Facing.host
    /// The seed of the random sequences; overrides the profile's.
    public var seed: UInt64?
    /// Whether to precede other classifiers on the device, which then do not see conditioned packets.
    public var beforeForeign: Bool
    /// The engine; nil chooses one by the kernel's features.
    public var engine: Engine?
    /// The recordings that the profile names.
    public var recordings: Recordings = [:]
    /// The time after which the rule is removed.
    public var limit: Duration?
    /// The time after which the rule is removed unless it is confirmed.
    public var confirmWithin: Duration?
    /// The user, the process and the time of the request.
    public var origin: Origin

    /// The user, the process and the time of a request; stored with the rule.
    public struct Origin: Sendable {
        /// Seconds since 1970.
        public var time: Int
        /// The user.
        public var userID: UInt32
        /// The process.
        public var processID: Int32
        /// The process's identity, which distinguishes it from other processes with the same ID; nil if unknown.
        public var process: ProcessIdentity?
        /// Whether only the process may change or remove the rule, as long as the process runs.
        public var isHeld = false

        /// Makes an origin.
        public init(time: Int, userID: UInt32, processID: Int32, process: ProcessIdentity? = nil) {
            self.time = time
            self.userID = userID
            self.processID = processID
            self.process = process
        }

        /// This process, now.
        public static var here: Origin {
            Origin(time: Glibc.time(nil), userID: getuid(), processID: getpid(), process: .current)
        }
    }

    /// The conditions, with the seed of the request.
    public var conditions: Profile {
        var profile = profile
        profile.seed = seed
        return profile
    }

    /// The conditions with the recordings that they name, for a pump.
    package var recordedConditions: RecordedProfile { RecordedProfile(conditions, recordings) }

    /// Makes a request.
    public init(
        profile: Profile,
        selection: Selection = Selection(),
        seed: UInt64? = nil,
        beforeForeign: Bool = false,
        engine: Engine? = nil,
        recordings: Recordings = [:],
        origin: Origin = .here
    ) {
        self.profile = profile
        self.selection = selection
        self.seed = seed ?? profile.seed
        self.beforeForeign = beforeForeign
        self.engine = engine
        self.recordings = recordings
        self.origin = origin
    }
}

/// The implementation of conditions.
public enum Engine: String, CaseIterable, Hashable, Sendable {
    /// The kernel's network emulator, on ifb devices.
    case netem
    /// A packet pump: a process of linkcond, over TAP devices.
    case userspace
}
