// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The rules in effect and their counters.
public struct StatusReport: Hashable, Sendable {
    /// The sandbox that the caller is in; nil outside of one.
    public var sandbox: Sandbox?
    /// The devices with objects of linkcond.
    public var devices: [Device]
    /// The lanes whose device no longer exists.
    public var leftovers: [String]
    /// The suspended rules.
    public var suspended: [Suspended] = []
    /// The reason why the journal could not be read, so that suspended rules and the endings of rules are missing; nil
    /// if it was read.
    public var journalFailure: ConditioningError?

    /// A suspended rule.
    public struct Suspended: Hashable, Sendable {
        /// The device's name.
        public var interface: String
        /// The profile's name.
        public var profile: String
        /// The rule's traffic.
        public var traffic: Selection

        package init(interface: String, profile: String, traffic: Selection) {
            (self.interface, self.profile, self.traffic) = (interface, profile, traffic)
        }
    }

    /// A device with its rules.
    public struct Device: Hashable, Sendable {
        /// The device's name.
        public var interface: String
        /// The device's index.
        public var index: Int32
        /// The rules, in order: the first that matches a packet conditions it.
        public var rules: [Rule]
        /// The lanes to which no filter redirects.
        public var leftovers: [String]
        /// The preferences of the filters whose lane is gone, which drop the packets they match.
        public var danglingFilters: [UInt16]
    }

    /// A rule with its lanes.
    public struct Rule: Hashable, Sendable {
        /// The rule's number on its device.
        public var number: Int
        /// The profile's name; nil if unknown.
        public var profile: String?
        /// The rule's traffic.
        public var traffic: Selection
        /// The host whose link the profile describes.
        public var facing = Facing.host
        /// The engine.
        public var engine: String
        /// The time at which the rule was applied or changed, in seconds since 1970.
        public var since: Int?
        /// The ID of the user who applied or changed the rule.
        public var userID: UInt32?
        /// The ID of the process that applied or changed the rule.
        public var processID: Int32?
        /// Whether packets pass unconditioned, rather than being dropped, once the processes that carry the rule are gone or
        /// frozen; nil for a rule that the kernel carries.
        public var failsOpen: Bool?
        /// The rule's ending without a reset; nil if it has none, or without a journal.
        public var ending: Ending?
        /// The numbers of the rules on the device that match some of the same packets.
        public var overlaps: [Int] = []
        /// The lanes, DNS first.
        public var lanes: [LaneStatus]
        /// The faults that take effect besides the lanes' conditions, as reported by the process that carries the
        /// lanes.
        public var faults: [FaultStatus] = []
        /// The lanes that another program has removed.
        public var missing: [Lane] = []
        /// Descriptions of other programs' classifiers that see the packets first.
        public var askedBefore: [String]
    }

    /// A lane with its counters.
    public struct LaneStatus: Hashable, Sendable {
        /// The part of the rule's traffic that the lane carries.
        public var kind: Lane
        /// The name of the lane's ifb or TAP device.
        public var device: String
        /// The lane's conditions; nil if linkcond did not make the lane, or another program has changed it.
        public var conditions: Impairments?
        /// The conditions that the rule was applied with, by the journal: another program may have changed those of
        /// the kernel. Nil without a journal. Not part of the JSON.
        package var asked: Impairments?
        /// The maximum number of packets held; nil if the queue is limited in bytes, or without conditions.
        public var limitPackets: UInt32?
        /// The number of packets that the filter has redirected to the lane.
        public var matchedPackets: UInt64
        /// The counters; nil if unknown.
        public var counters: Counters?
    }

    /// A fault with its counter.
    public struct FaultStatus: Hashable, Sendable {
        /// The fault's action and its packets, in words.
        public var fault: String
        /// The number of packets that the fault has affected since it took effect.
        public var packets: UInt64
    }

    /// The counters of a lane.
    public struct Counters: Hashable, Sendable {
        /// Packets that have left the lane.
        public var sentPackets: UInt64 = 0
        /// Bytes that have left the lane.
        public var sentBytes: UInt64 = 0
        /// Packets lost, or refused by a full queue.
        public var droppedPackets: UInt64 = 0
        /// Packets held now.
        public var heldPackets: UInt64 = 0
        /// Bytes held now; nil if not counted.
        public var heldBytes: UInt64?
        /// The share of the delay spent waiting behind competing traffic, in percent; nil without competing traffic.
        public var percentBehindOthers: Int?
    }

    /// The sandbox that the caller is in.
    public struct Sandbox: Hashable, Sendable {
        /// The name of the profile in effect; nil if there is none.
        public var profile: String?
        /// The name of the program that carries the uplink; nil in a sandbox that is offline.
        public var uplink: String?
        /// Changes to the uplink's network by a scenario and the profile: "link down", "MTU 1280".
        public var network: [String] = []
        /// The interfaces, if each has conditions of its own.
        public var paths: [String] = []
        /// The supervisor of the sandbox.
        public var processID: Int32

        /// Describes the sandbox of the supervisor `processID`.
        public init(profile: String?, uplink: String?, processID: Int32) {
            self.profile = profile
            self.uplink = uplink
            self.processID = processID
        }
    }
}
