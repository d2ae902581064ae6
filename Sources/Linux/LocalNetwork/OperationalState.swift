// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The operational state of a link, in the words of networkctl(1), in ascending order.
public enum OperationalState: String, CaseIterable, Codable, Comparable, Sendable {
    /// There is no such device.
    case missing
    /// The interface is switched off.
    case off
    /// The link has no carrier: the cable is unplugged, or the other end is down.
    case noCarrier
    /// The link waits for something else first, such as 802.1X.
    case dormant
    /// Some of the links that it consists of have no carrier.
    case degradedCarrier
    /// The link works, and has no address.
    case carrier
    /// The link's addresses are valid on the link only.
    case degraded
    /// The link belongs to a bridge or bond.
    case enslaved
    /// The link has an address that is valid beyond the link.
    case routable

    /// Orders states from `missing` to `routable`.
    public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Determines the state of a device.
    ///
    /// - Parameter lacksMembers: whether a link that the device consists of has no carrier.
    init(_ status: LinkStatus, _ addresses: [InterfaceAddress], lacksMembers: Bool) {
        let usable = addresses.filter(\.isUsable)
        if !status.link.isUp {
            self = .off
        } else if !status.hasCarrier {
            // The kernel derives its state `lowerLayerDown` from the carrier, up to a second later (net/core/link_watch.c).
            self = .noCarrier
        } else if status.operationalState == .dormant {
            self = .dormant
        } else if status.master != nil {
            self = .enslaved
        } else if usable.contains(where: { $0.scope.rawValue < InterfaceAddress.Scope.link.rawValue }) {
            self = .routable
        } else if usable.contains(where: { $0.scope == .link }) {
            self = .degraded
        } else {
            self = lacksMembers ? .degradedCarrier : .carrier
        }
    }
}
