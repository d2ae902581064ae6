// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import Netlink

/// A device with its filters, rules and lanes, as read from the kernel.
package struct DeviceState: Hashable, Sendable {
    /// The qdisc that filters are attached to.
    package enum Hook: Hashable, Sendable {
        case none
        /// `clsact`: both directions.
        case clsact
        /// The older `ingress`: incoming packets only.
        case ingressOnly
    }

    /// A classifier of another program.
    package struct Foreign: Hashable, Sendable {
        package var hook: Handle
        /// The filter's preference; nil for a tcx program, which runs before all filters.
        package var preference: UInt16?
        /// A description for messages: "flower filter with pref 1 on ingress".
        package var description: String
    }

    package var link: Link
    package var hook: Hook
    /// Whether the hook is shared with other devices through a block.
    package var sharesHook: Bool
    package var foreign: [Foreign]
    /// The root qdisc, if it is neither linkcond's nor the kernel's default.
    package var foreignRoot: String?
    /// The rules of linkcond, in the order in which the kernel evaluates their filters.
    package var rules: [RuleState] = []
    /// Lanes without a filter, which a killed process left.
    package var orphans: [LaneState] = []
    /// Filters of linkcond whose lane is gone.
    package var danglingFilters: [LaneFilter] = []
    /// The settings that decide whether loopback accepts packets from a pump; nil for other devices.
    package var settings: LoopbackSettings?
    /// The filters that let packets from a TAP device pass, so that no later filter redirects them again.
    package var passes: [ReturnPass] = []

    /// The lanes of all rules, then the orphans.
    var lanes: [LaneState] { rules.flatMap(\.lanes) + orphans }

    /// The passes of rules that no longer have a TAP device for outgoing packets.
    var danglingPasses: [ReturnPass] {
        let leaving = lanes.filter { $0.isPumped && $0.leaves }
        return passes.filter { pass in !leaving.contains { $0.name.rule == pass.rule } }
    }

    /// The TAP devices to which packets are redirected, but whose packets no filter returns to the conditioned device.
    package var lanesWithoutReturn: [LaneState] {
        rules.flatMap(\.lanes).filter { $0.isPumped && !$0.leadsBack }
    }

    /// The TAP devices without a pass: packets that return from them would be redirected again.
    package var lanesWithoutPass: [LaneState] {
        guard !link.isLoopback else { return [] }
        return rules.flatMap(\.lanes).filter { lane in
            lane.isPumped && lane.leaves && !passes.contains { $0.rule == lane.name.rule }
        }
    }

    /// Whether linkcond has filters whose lane or TAP device is gone, or more than one filter for the same lane.
    package var hasDangling: Bool {
        !danglingFilters.isEmpty || !danglingPasses.isEmpty || rules.flatMap(\.lanes).contains { !$0.surplus.isEmpty }
    }

    /// Whether linkcond has any objects on the device.
    package var isConditioned: Bool { !rules.isEmpty || !orphans.isEmpty || hasDangling }
}

/// A rule as the kernel has it.
package struct RuleState: Hashable, Sendable {
    package var number: Int
    package var selection: Selection
    package var lanes: [LaneState]

    /// The rule's first preference, which is reserved for the filter of a DNS lane, whether or not the rule has one.
    package var firstPreference: Int {
        lanes.compactMap { lane in lane.filter.map { Int($0.preference) - Int(lane.name.kind.order) } }.min() ?? 0
    }

    /// Whether a pump carries the rule over TAP devices, rather than netem on ifbs.
    package var isPumped: Bool { lanes.contains(where: \.isPumped) }

    /// Whether packets pass unconditioned, rather than being dropped, once the rule's pump is gone or has stopped.
    package var failsOpen: Bool { isPumped && lanes.allSatisfy { $0.filter == nil || $0.filter?.failOpen != nil } }

    /// The host whose link the rule's profile describes.
    package var facing: Facing { alias?.facing ?? .host }

    /// Whether `isHeld` is true of the alias of one of the rule's lanes: a running process holds the rule.
    package func isHeld(_ isHeld: (LaneAlias) -> Bool) -> Bool { lanes.contains { isHeld($0.alias) } }

    /// The alias of the lane that was made last.
    package var alias: LaneAlias? { lanes.map(\.alias).max { $0.appliedAt < $1.appliedAt } }
}

/// A lane as the kernel has it: an ifb, or a pump's TAP device.
package struct LaneState: Hashable, Sendable {
    package var name: LaneName
    package var link: Link
    /// The parsed alias of the lane's device; ``link`` has its text.
    package var alias: LaneAlias
    /// An ifb's qdiscs.
    package var qdiscs: [Qdisc]
    /// The filter that redirects packets to the lane; nil for an orphan.
    package var filter: LaneFilter?
    /// Further filters that redirect to the lane: left by a process that was killed while it moved the first one.
    package var surplus: [LaneFilter] = []
    /// The number of packets that ``filter`` has redirected.
    package var matchedPackets: UInt64 = 0
    /// Whether the packets that a pump writes to its TAP device are redirected to the conditioned device.
    package var leadsBack = true
    /// The policer of an ifb's queue.
    package var policer: Policer?
    /// Whether the lane is the root qdisc of the conditioned device; ``link`` is then that device.
    package var isAtRoot = false

    /// The kernel's names for the kinds of a pump's devices.
    private static let pumpedKinds: Set<String?> = ["tun", "veth"]
    /// The kernel's names for the kinds of devices that carry a lane.
    package static let kinds = pumpedKinds.union(["ifb"])

    /// Whether a pump carries the lane over a TAP device or a veth pair, rather than netem on an ifb.
    package var isPumped: Bool { !isAtRoot && Self.pumpedKinds.contains(link.kind) }

    /// Whether the lane's packets leave the conditioned device, which must not be loopback.
    var leaves: Bool { alias.facing.leaves(name.kind) }

    /// The lane that the qdiscs implement; nil if linkcond did not make them.
    package var lane: LaneQdiscs? {
        guard let netem, case .netem(let options) = netem.kind else { return nil }
        let buckets = qdiscs.compactMap { if case .tokenBucket(let bucket) = $0.kind { bucket } else { nil } }
        var lane = LaneQdiscs(kind: name.kind, netem: options, splitter: buckets.first)
        let path = qdiscs.first { $0.handle == LaneQdiscs.pathHandle }
        if case .netem(let options)? = path?.kind { lane.path = options }
        lane.policer = policer
        return lane
    }

    /// The netem qdisc of the bottleneck.
    package var netem: Qdisc? {
        qdiscs.first { if case .netem = $0.kind { $0.handle != LaneQdiscs.pathHandle } else { false } }
    }

    /// Whether another program has removed, added or replaced a qdisc or the policer of the lane; false if a pump
    /// carries it.
    package var isAltered: Bool {
        guard !isPumped else { return false }
        guard let made = lane?.qdiscs(on: link.index, atRoot: isAtRoot) else { return true }
        return Set(made.map { [$0.parent, $0.handle] }) != Set(qdiscs.map { [$0.parent, $0.handle] })
    }

    /// The counters of the lane's outermost qdisc, which counts each packet once, wherever the packet is held or
    /// dropped.
    package var statistics: QdiscStatistics? { qdiscs.first { $0.parent == .root }?.statistics }
}
