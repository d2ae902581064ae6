// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import Netlink

/// The qdiscs of one lane in the kernel's units: netem, and the optional qdiscs around it.
///
/// A packet passes them in this order: the splitter, the path, the policer, netem.
package struct LaneQdiscs: Hashable, Sendable {
    package let kind: Lane
    /// The netem qdisc of the bottleneck. It also has the other impairments if there is no ``path``.
    package var netem: Netem
    /// A token bucket that only splits super-packets into wire packets before netem; its rate is above any other.
    package var splitter: TokenBucket?
    /// A netem qdisc with the impairments that take effect before the bottleneck, if they affect which packets reach
    /// the bottleneck's queue, or when.
    package var path: Netem?
    /// The size of the bottleneck's queue, if it is not given by netem's limit.
    package var policer: Policer?

    /// The handle of the outermost qdisc at the root of the conditioned device: "LC", to distinguish it from other
    /// programs' qdiscs.
    static let rootHandle = Handle(0x4C43)
    static let splitterHandle = Handle(1)
    static let netemHandle = Handle(0x10)
    static let policerHandle = Handle(0x20)
    static let pathHandle = Handle(0x30)

    /// The qdiscs in the order of creation, on the device with the index `link`.
    ///
    /// - Parameter atRoot: whether `link` is the conditioned device itself, rather than an ifb.
    func qdiscs(on link: Int32, atRoot: Bool = false) -> [Qdisc] {
        var kinds: [(Handle, QdiscKind)] = []
        if let splitter { kinds.append((Self.splitterHandle, .tokenBucket(splitter))) }
        if let path { kinds.append((Self.pathHandle, .netem(path))) }
        if policer != nil { kinds.append((Self.policerHandle, .priorityBands(PriorityBands()))) }
        kinds.append((Self.netemHandle, .netem(netem)))
        if atRoot { kinds[0].0 = Self.rootHandle }
        // Each qdisc is the child of the first class of the qdisc before it.
        let parents = [.root] + kinds.map { Handle(rawValue: $0.0.rawValue | 1) }
        return zip(parents, kinds).map { Qdisc(link: link, parent: $0, handle: $1.0, kind: $1.1) }
    }

    /// Whether the lane has jitter, whose distribution cannot be read back.
    var hasJitter: Bool { (path ?? netem).jitter > 0 }

    /// The longest time that an accepted packet stays in the lane: in flight, then in a full queue.
    var longestStay: Duration {
        let bytes = netem.rate.bytesPerSecond
        let rate = bytes > 0 ? BitRate(bitsPerSecond: bytes.multipliedReportingOverflow(by: 8).partialValue) : nil
        let limit = Planner.longestDrain.nanoseconds
        let delay = [path, netem].compactMap { $0 }.reduce(Int64(0)) { sum, netem in
            sum + min(netem.latency, limit) + 4 * min(netem.jitter, limit)
        }
        if let policer { return .nanoseconds(delay + Int64(UInt64(policer.burst) * Policer.tick)) }
        return QueueLimit.drainTime(netemLimit: netem.limit, rate: rate, delay: .nanoseconds(delay))
    }
}

/// Facts about a device and its kernel that the qdiscs depend on.
struct LaneContext {
    /// The device's MTU while it is conditioned.
    var mtu: UInt32
    /// Whether frames have a 14-byte header; a profile's figures include one on every device.
    var hasEthernetHeader: Bool
    /// The seed of the random sequences, if requested.
    var seed: UInt64?
    /// Whether the kernel has sch_prio and act_police, which are needed to count the bytes in a queue.
    var canPolice = true
}

extension LaneQdiscs {
    /// The lanes of a profile.
    struct Translation {
        var lanes: [LaneQdiscs]
        /// The parts of the profile that netem does not support.
        var unsupported: [String]
        /// The reasons why netem cannot count a queue as the profile says.
        var approximate: [String]
    }

    /// The lanes of `profile`, one for each direction that it describes and one for DNS.
    static func lanes(of profile: Profile, _ context: LaneContext) -> Translation {
        var reasons: [String] = []
        var approximate: [String] = []
        if profile.schedule != nil { reasons.append("a schedule") }
        if !profile.faults.isEmpty { reasons.append("faults") }
        var lanes: [LaneQdiscs] = []
        for (kind, impairments) in profile.lanes {
            let found = NetemTranslation.unsupported(impairments).map { "\($0) (\(kind.name))" }
            reasons += kind == .dns && profile.uplink != nil ? [] : found
            guard found.isEmpty else { continue }
            let netem = NetemTranslation.netem(impairments, kind: kind, context)
            let splitter = impairments.needsWirePackets ? NetemTranslation.splitter(mtu: context.mtu) : nil
            var lane = LaneQdiscs(kind: kind, netem: netem, splitter: splitter)
            if let reason = lane.limitQueue(impairments, context), kind != .dns || profile.uplink == nil {
                approximate.append("\(reason) (\(kind.name))")
            }
            lanes.append(lane)
        }
        return Translation(lanes: lanes, unsupported: reasons, approximate: approximate)
    }
}
