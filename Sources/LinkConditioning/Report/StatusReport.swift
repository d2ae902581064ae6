// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// What is applied where and what it has done, apart from the kernel that it was read from.
public struct StatusReport: Hashable, Sendable {
    /// The sandbox around whoever asked; nil outside of one.
    public var sandbox: Sandbox?
    /// The devices with anything of ours.
    public var devices: [Device]
    /// The lanes whose device is gone.
    public var leftovers: [String]
    /// The rules that were taken off, to be put back.
    public var suspended: [Suspended] = []

    /// A rule that is off.
    public struct Suspended: Hashable, Sendable {
        /// The device's name.
        public var interface: String
        /// The profile's name.
        public var profile: String
        /// Which traffic the rule is about.
        public var traffic: Selection
    }

    /// A device with its rules.
    public struct Device: Hashable, Sendable {
        /// The device's name.
        public var interface: String
        /// The device's index.
        public var index: Int32
        /// The rules by number.
        public var rules: [Rule]
        /// The lanes to which no filter leads any more.
        public var leftovers: [String]
        /// The preferences of the filters whose lane is gone, and which drop what they pick.
        public var danglingFilters: [UInt16]
    }

    /// A rule with its lanes.
    public struct Rule: Hashable, Sendable {
        /// The rule's number on its device.
        public var number: Int
        /// The profile's name; nil where nothing says it.
        public var profile: String?
        /// Which traffic the rule is about.
        public var traffic: Selection
        /// What conditions the packets.
        public var engine: String
        /// Seconds since 1970 when the rule was made or changed.
        public var since: Int?
        /// The user who did it.
        public var userID: UInt32?
        /// The process that did it.
        public var processID: Int32?
        /// How it ends without a reset; nil where it does not, or no journal says so.
        public var ending: Ending?
        /// The lanes, DNS first.
        public var lanes: [LaneStatus]
        /// Somebody else's classifiers that see the packets first, in words.
        public var askedBefore: [String]
    }

    /// A lane with its counters.
    public struct LaneStatus: Hashable, Sendable {
        /// Which part of the rule's traffic it carries.
        public var kind: Lane
        /// The name of its ifb or TAP device.
        public var device: String
        /// What the lane does; nil where it is not what we make.
        public var conditions: Impairments?
        /// Packets held at most; nil where the lane is not what we make.
        public var limitPackets: UInt32?
        /// How many packets the filter has sent to the lane.
        public var matchedPackets: UInt64
        /// What has become of the packets; nil where nobody counts.
        public var counters: Counters?
    }

    /// What has become of a lane's packets.
    public struct Counters: Hashable, Sendable {
        /// Packets that have left the lane.
        public var sentPackets: UInt64
        /// Bytes that have left the lane.
        public var sentBytes: UInt64
        /// Packets lost, or refused by a full queue.
        public var droppedPackets: UInt64
        /// Packets held now.
        public var heldPackets: UInt64
        /// Bytes held now; nil where nobody counts them.
        public var heldBytes: UInt64?
    }

    /// The sandbox in which somebody asked.
    public struct Sandbox: Hashable, Sendable {
        /// The name of the profile in force; nil where there is none.
        public var profile: String?
        /// The name of the program that carries the uplink; nil in a sandbox that is offline.
        public var uplink: String?
        /// The process that keeps the sandbox.
        public var processID: Int32

        /// Makes the sandbox that the process `processID` keeps.
        public init(profile: String?, uplink: String?, processID: Int32) {
            self.profile = profile
            self.uplink = uplink
            self.processID = processID
        }
    }
}
