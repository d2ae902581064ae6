// SPDX-License-Identifier: Apache-2.0

/// Why a target is not, or not well, reachable: where on the way, and what is wrong there.
public struct Reason: Hashable, Codable, Sendable {
    /// Where on the way from this host to the answer, nearest first.
    public enum Scope: String, CaseIterable, Codable, Sendable {
        /// The monitor itself: nothing is said about the target.
        case monitor
        /// This host's interfaces, addresses and routes.
        case local
        /// The resolution of the name.
        case name
        /// Between this host and the target's.
        case path
        /// The connection.
        case transport
        /// The secure session.
        case tls
        /// What the service answers.
        case app
        /// A portal that answers in the target's place.
        case portal
        /// All of it works, but not well.
        case quality
    }

    /// Where.
    public let scope: Scope
    /// What, as a word that programs can rely on.
    public let code: String

    /// Makes a reason; the known ones have names.
    public init(_ scope: Scope, _ code: String) {
        self.scope = scope
        self.code = code
    }
}

extension Reason {
    /// The interface does not exist.
    public static let interfaceMissing = Reason(.local, "interfaceMissing")
    /// The interface is switched off.
    public static let adminDown = Reason(.local, "adminDown")
    /// The interface has no carrier.
    public static let noCarrier = Reason(.local, "noCarrier")
    /// The interface has no address.
    public static let noAddress = Reason(.local, "noAddress")
    /// No route leads there (ENETUNREACH at once).
    public static let noRoute = Reason(.local, "noRoute")
    /// A route of the type `unreachable` (EHOSTUNREACH at once).
    public static let routeUnreachable = Reason(.local, "routeUnreachable")
    /// A route of the type `prohibit` (EACCES).
    public static let routeProhibited = Reason(.local, "routeProhibited")
    /// A route of the type `blackhole` (EINVAL).
    public static let routeBlackhole = Reason(.local, "routeBlackhole")
    /// The next hop does not answer address resolution (EHOSTUNREACH after about three seconds).
    public static let neighbourUnresolved = Reason(.local, "neighbourUnresolved")

    /// There is no such name.
    public static let nxdomain = Reason(.name, "nxdomain")
    /// The name has no address of the family asked for.
    public static let nodata = Reason(.name, "nodata")
    /// The resolver failed.
    public static let servfail = Reason(.name, "servfail")
    /// The resolver refused.
    public static let queryRefused = Reason(.name, "refused")
    /// The resolver is silent.
    public static let queryTimeout = Reason(.name, "timeout")
    /// The resolver cannot be reached.
    public static let serverUnreachable = Reason(.name, "serverUnreachable")

    /// A router has no route (ICMP).
    public static let netUnreachable = Reason(.path, "netUnreachable")
    /// A router cannot reach the host (ICMP).
    public static let hostUnreachable = Reason(.path, "hostUnreachable")
    /// A router or host forbids it (ICMP).
    public static let adminProhibited = Reason(.path, "adminProhibited")
    /// Nobody says anything.
    public static let blackHole = Reason(.path, "blackHole")

    /// The port is closed: the host is there.
    public static let refused = Reason(.transport, "refused")
    /// The connection was reset: the host is there.
    public static let reset = Reason(.transport, "reset")
    /// Connected, and closed before an answer.
    public static let closedEarly = Reason(.transport, "closedEarly")
    /// Connected, and silent since.
    public static let halfOpen = Reason(.transport, "halfOpen")

    /// This process may not send such probes.
    public static let permission = Reason(.monitor, "permission")
    /// This process or host has run out of something.
    public static let resources = Reason(.monitor, "resources")
    /// The reference targets do not answer either: it is the monitor that is cut off.
    public static let offline = Reason(.monitor, "offline")
    /// The evidence is too old.
    public static let stale = Reason(.monitor, "stale")

    /// More than the policy's share of probes is lost.
    public static let loss = Reason(.quality, "loss")
    /// Answers take longer than the policy allows.
    public static let latency = Reason(.quality, "latency")
    /// One address family answers, the other does not.
    public static let familyBroken = Reason(.quality, "familyBroken")
}

extension Reason: CustomStringConvertible {
    /// "path.blackHole"
    public var description: String { "\(scope.rawValue).\(code)" }
}
