// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// A status in the terms of earlier reachability libraries: the flags of SCNetworkReachability and the classes built on
/// them. The flags knew the state of radios, addresses and names, and sent no packets; these values use more evidence.
public struct ClassicReachability: Hashable, Sendable {
    private let status: Status

    /// Expresses a status in these terms.
    public init(_ status: Status) {
        self.status = status
    }

    /// kSCNetworkReachabilityFlagsReachable, if no connection has to be made first: a request is likely to succeed. For
    /// a target that was not probed yet: whether the route to it is good.
    public var isReachable: Bool {
        status.isReachable || status.state == .unknown && status.path?.status == .satisfied
    }

    /// kSCNetworkReachabilityFlagsConnectionRequired: whether the link exists, but has to be brought up before anything
    /// can be sent.
    public var isConnectionRequired: Bool { initiative != nil || status.state == .waiting }

    /// kSCNetworkReachabilityFlagsConnectionOnDemand or ...OnTraffic: whether the link comes up by itself, with the
    /// first packet or by a program that dials.
    public var isConnectionOnDemand: Bool { initiative == .onDemand || initiative == .onTraffic }

    /// kSCNetworkReachabilityFlagsInterventionRequired: whether a person, or a program with a key, has to act, as also
    /// for a portal.
    public var isInterventionRequired: Bool {
        initiative == .intervention || status.state == .waiting && initiative == nil || status.state == .captive
    }

    /// kSCNetworkReachabilityFlagsIsWWAN: whether the target is reachable over a mobile network. A program that must
    /// not use one has to bind its socket to another interface (SO_BINDTODEVICE, socket(7)), since the path may change
    /// at any time.
    public var isReachableViaWWAN: Bool { isReachable(over: .wwan) }

    /// ReachableViaWiFi: whether the target is reachable over a wireless LAN. The earlier classes included everything
    /// but mobile networks.
    public var isReachableViaWiFi: Bool { isReachable(over: .wifi) }

    /// Whether the target is reachable over a wired network card, for which the earlier libraries had no term.
    public var isReachableViaEthernet: Bool { isReachable(over: .ethernet) }

    /// kSCNetworkReachabilityFlagsIsLocalAddress, or reachabilityForLocalWiFi: whether the addresses are valid only on
    /// the link or on this host, without a router.
    public var isLocalOnly: Bool {
        if status.reason == .linkLocalOnly { return true }
        guard let path = status.path else { return false }
        return path.isOwnAddress || path.isOnLink && path.source?.isLinkLocal == true
    }

    private var initiative: Path.Initiative? {
        guard case .requiresConnection(let initiative)? = status.path?.status else { return nil }
        return initiative
    }

    private func isReachable(over linkClass: LinkClass) -> Bool {
        isReachable && status.path?.linkClass == linkClass && status.path?.isOwnAddress != true
    }
}

extension Status {
    /// The status in the terms of earlier reachability libraries.
    public var classic: ClassicReachability { ClassicReachability(self) }
}
