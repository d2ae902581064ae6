// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

/// What somebody wants on a device, and the facts about this moment that go into it.
public struct RuleRequest: Sendable {
    /// The conditions.
    public var profile: Profile
    /// Which traffic they are for.
    public var selection: Selection
    /// Start of the random sequences; overrides the profile's.
    public var seed: UInt64?
    /// Whether to go ahead of other classifiers on the device, which then do not see conditioned packets.
    public var beforeForeign: Bool
    /// Who asks, and when.
    public var origin: Origin

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
        origin: Origin
    ) {
        self.profile = profile
        self.selection = selection
        self.seed = seed ?? profile.seed
        self.beforeForeign = beforeForeign
        self.origin = origin
    }
}
