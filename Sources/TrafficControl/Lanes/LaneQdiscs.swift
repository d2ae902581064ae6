// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import Netlink

/// The qdiscs of one lane, in the kernel's own units: netem, below a splitter where each wire packet must count.
public struct LaneQdiscs: Hashable, Sendable {
    /// Which traffic it carries.
    public let kind: Lane
    /// What conditions the packets.
    public var netem: Netem
    /// A token bucket far above any rate that only cuts super-packets into wire packets ahead of netem.
    public var splitter: TokenBucket?

    /// Where netem sits below the splitter.
    static let splitterHandle = Handle(1)
    static let netemHandle = Handle(0x10)

    /// The qdiscs in the order in which they are made, on the device with the index `link`.
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

/// Facts about a device and its kernel that shape lanes.
struct LaneContext {
    /// The device's largest packet, as it will be while conditioned.
    var mtu: UInt32
    /// Whether frames have a 14-byte header already; a profile's figures count it on every device.
    var hasEthernetHeader: Bool
    /// The start of the random sequences, if one was asked for.
    var seed: UInt64?
}

extension LaneQdiscs {
    /// The lanes of `profile`, one for each direction that it describes and one for DNS, and with them all of the
    /// profile that netem cannot do.
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
