// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import Netlink

/// The qdiscs of one lane in the kernel's units: netem, and as its parent a splitter if each wire packet must count.
public struct LaneQdiscs: Hashable, Sendable {
    /// The lane.
    public let kind: Lane
    /// The netem qdisc.
    public var netem: Netem
    /// A token bucket that only splits super-packets into wire packets before netem; its rate is above any other.
    public var splitter: TokenBucket?

    static let splitterHandle = Handle(1)
    static let netemHandle = Handle(0x10)

    /// The qdiscs in the order of creation, on the device with the index `link`.
    func qdiscs(on link: Int32) -> [Qdisc] {
        guard let splitter else {
            return [Qdisc(link: link, parent: .root, handle: Self.netemHandle, kind: .netem(netem))]
        }
        return [
            Qdisc(link: link, parent: .root, handle: Self.splitterHandle, kind: .tokenBucket(splitter)),
            Qdisc(link: link, parent: Handle(1, 1), handle: Self.netemHandle, kind: .netem(netem)),
        ]
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
}

extension LaneQdiscs {
    /// The lanes of `profile`, one for each direction that it describes and one for DNS, and the parts of the profile
    /// that netem does not support.
    static func lanes(of profile: Profile, _ context: LaneContext) -> (lanes: [LaneQdiscs], unsupported: [String]) {
        var reasons: [String] = []
        if profile.schedule != nil { reasons.append("a schedule") }
        var lanes: [LaneQdiscs] = []
        for (kind, impairments) in profile.lanes {
            let found = NetemTranslation.unsupported(impairments).map { "\($0) (\(kind.name))" }
            reasons += kind == .dns && profile.uplink != nil ? [] : found
            guard found.isEmpty else { continue }
            lanes.append(
                LaneQdiscs(
                    kind: kind,
                    netem: NetemTranslation.netem(impairments, kind: kind, context),
                    splitter: impairments.needsWirePackets
                        ? NetemTranslation.splitter(mtu: context.mtu) : nil
                )
            )
        }
        return (lanes, reasons)
    }
}
