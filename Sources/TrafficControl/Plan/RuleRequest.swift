// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

/// A rule that is asked for: conditions, traffic, engine and end, and who asks.
public struct RuleRequest: Sendable {
    /// The conditions.
    public var profile: Profile
    /// Which traffic they are for.
    public var selection: Selection
    /// Start of the random sequences; overrides the profile's.
    public var seed: UInt64?
    /// Whether to go ahead of other classifiers on the device, which then do not see conditioned packets.
    public var beforeForeign: Bool
    /// What is to carry it; nil leaves that to what the kernel can do.
    public var engine: Engine?
    /// The recordings that the profile names.
    public var recordings: Recordings = [:]
    /// After how long the rule ends by itself.
    public var limit: Duration?
    /// After how long the rule ends by itself unless it is confirmed.
    public var confirmWithin: Duration?
    /// Who asks, and when.
    public var origin: Origin

    /// Whether the rule ends by itself.
    public var hasLimit: Bool { limit != nil || confirmWithin != nil }

    /// Who asks, and when; kept with the rule.
    public struct Origin: Sendable {
        /// Seconds since 1970.
        public var time: Int
        /// The user.
        public var userID: UInt32
        /// The process.
        public var processID: Int32

        /// Makes an origin.
        public init(time: Int, userID: UInt32, processID: Int32) {
            self.time = time
            self.userID = userID
            self.processID = processID
        }

        /// This process, now.
        public static var here: Origin {
            Origin(time: Glibc.time(nil), userID: getuid(), processID: getpid())
        }
    }

    /// The conditions, with the start of the random sequences that holds.
    public var conditions: Profile {
        var profile = profile
        profile.seed = seed
        return profile
    }

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
