// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// A status in the words of the reachability libraries that came before: those of SCNetworkReachability's flags and of
/// the classes built on them. Each says what the flags could, from more evidence: the flags knew the state of radios,
/// addresses and names, and sent no packet.
public struct ClassicReachability: Hashable, Sendable {
    private let status: Status

    /// Puts a status into these words.
    public init(_ status: Status) {
        self.status = status
    }

    /// kSCNetworkReachabilityFlagsReachable, without a connection that has to be made first: a request has a chance.
    /// Of a target that was not probed yet, that the route to it is good.
    public var isReachable: Bool {
        status.isReachable || status.state == .unknown && status.path?.status == .satisfied
    }

    /// kSCNetworkReachabilityFlagsConnectionRequired: the link is there, and something has to set it off before
    /// anything can be sent.
    public var isConnectionRequired: Bool { initiative != nil || status.state == .waiting }

    /// kSCNetworkReachabilityFlagsConnectionOnDemand or ...OnTraffic: that happens by itself, with the first packet or
    /// by a program that dials.
    public var isConnectionOnDemand: Bool { initiative == .onDemand || initiative == .onTraffic }

    /// kSCNetworkReachabilityFlagsInterventionRequired: that takes a person, or a program with a key; as does a
    /// portal.
    public var isInterventionRequired: Bool {
        initiative == .intervention || status.state == .waiting && initiative == nil || status.state == .captive
    }

    /// kSCNetworkReachabilityFlagsIsWWAN: reachable, over a mobile network. It cannot keep a program from using one
    /// after the next change; a socket bound to an interface can (SO_BINDTODEVICE, socket(7)).
    public var isReachableViaWWAN: Bool { isReachable(over: .wwan) }

    /// ReachableViaWiFi: the classic classes say so of everything that is no mobile network; here it is wireless.
    public var isReachableViaWiFi: Bool { isReachable(over: .wifi) }

    /// Reachable over a wired network card, for which the classics had no word.
    public var isReachableViaEthernet: Bool { isReachable(over: .ethernet) }

    /// kSCNetworkReachabilityFlagsIsLocalAddress, or what reachabilityForLocalWiFi asked for: addresses hold on the
    /// link only, or on this host, and no router is on the way.
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
    /// The verdict in the words of the classic libraries.
    public var classic: ClassicReachability { ClassicReachability(self) }
}
