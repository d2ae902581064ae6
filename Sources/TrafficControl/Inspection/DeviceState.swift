// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// What a device is and what is on it now, as far as conditioning is concerned.
public struct DeviceState: Hashable, Sendable {
    /// The place where filters hang.
    public enum Hook: Hashable, Sendable {
        /// There is none yet.
        case none
        /// `clsact`: both directions.
        case clsact
        /// The older `ingress`: arriving packets only.
        case ingressOnly
    }

    /// Somebody else's classifier at a hook.
    public struct Foreign: Hashable, Sendable {
        /// Which hook.
        public var hook: Handle
        /// Its place there; nil for a tcx program, which runs before all filters.
        public var preference: UInt16?
        /// What it is, in words.
        public var words: String
    }

    /// The device.
    public var link: Link
    /// Where filters hang.
    public var hook: Hook
    /// Whether the hook is shared with other devices.
    public var sharesHook: Bool
    /// Somebody else's classifiers.
    public var foreign: [Foreign]
    /// Our rules on it, by number.
    public var rules: [RuleState]
    /// Ours, but no filter leads there any more: what a process that was killed left behind.
    public var orphans: [LaneState]
    /// Filters of ours whose lane is gone.
    public var danglingFilters: [LaneFilter]
    /// What decides whether loopback takes packets from a pump; nil elsewhere.
    public var settings: LoopbackSettings?
    /// Our filters that let packets pass which come back from a TAP device.
    public var passes: [ReturnPass] = []

    /// Those of them whose TAP device is gone.
    var danglingPasses: [ReturnPass] {
        let pumped = (rules.flatMap(\.lanes) + orphans).filter(\.isPumped)
        return passes.filter { pass in !pumped.contains { $0.name.rule == pass.rule } }
    }

    /// Whether there are filters of ours whose device is gone.
    package var hasDangling: Bool { !danglingFilters.isEmpty || !danglingPasses.isEmpty }
}

/// A rule as the kernel has it.
public struct RuleState: Hashable, Sendable {
    /// Its number on the device.
    public var number: Int
    /// Which traffic it is about.
    public var selection: Selection
    /// Its lanes.
    public var lanes: [LaneState]

    /// Whether a pump carries it, over TAP devices, and not netem on ifbs.
    public var isPumped: Bool { lanes.contains(where: \.isPumped) }

    /// The words of the lane that was made last.
    public var tag: LaneAlias? { lanes.map(\.tag).max { $0.appliedAt < $1.appliedAt } }
}

/// A lane as the kernel has it: an ifb, or a pump's TAP device.
public struct LaneState: Hashable, Sendable {
    /// The device's name.
    public var name: LaneName
    /// The device.
    public var link: Link
    /// What it says about itself.
    public var tag: LaneAlias
    /// An ifb's qdiscs.
    public var qdiscs: [Qdisc]
    /// The filter that leads there; nil in an orphan.
    public var filter: LaneFilter?
    /// How many packets that filter has sent there.
    public var matchedPackets: UInt64

    /// The kernel's name for the kind of a TAP device.
    static let tapKind = "tun"

    /// Whether a pump carries it, over a TAP device, and not netem on an ifb.
    public var isPumped: Bool { link.kind == Self.tapKind }

    /// The lane that the qdiscs amount to; nil where they are not what we make.
    public var lane: LaneQdiscs? {
        guard let netem, case .netem(let options) = netem.kind else { return nil }
        let buckets = qdiscs.compactMap { if case .tokenBucket(let bucket) = $0.kind { bucket } else { nil } }
        return LaneQdiscs(kind: name.kind, netem: options, splitter: buckets.first)
    }

    /// The netem qdisc, whose counters tell what happened to the packets.
    public var netem: Qdisc? {
        qdiscs.first { if case .netem = $0.kind { true } else { false } }
    }
}
