// SPDX-License-Identifier: Apache-2.0

/// The reason why a target is unreachable or degraded: where on the path, and what is wrong there.
public struct Reason: Hashable, Codable, Sendable {
    /// The part of the path from this host to the answer, nearest first.
    public enum Scope: String, CaseIterable, Codable, Sendable {
        /// The monitor itself: nothing is known about the target.
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
        /// The service's own answer.
        case app
        /// A portal that answers in the target's place.
        case portal
        /// Everything works, but with loss or delay.
        case quality
    }

    /// The part of the path.
    public let scope: Scope
    /// The problem, as a stable word for programs.
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
    /// The interface waits for something else first: a key (802.1X), a dialled connection.
    public static let dormant = Reason(.local, "dormant")
    /// The interface has no address that holds beyond its link.
    public static let linkLocalOnly = Reason(.local, "linkLocalOnly")
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
    /// This host has no such protocol, as where IPv6 is switched off.
    public static let familyUnsupported = Reason(.local, "familyUnsupported")
    /// A link-local address without the interface that it belongs to.
    public static let scopeMissing = Reason(.local, "scopeMissing")
    /// There is no such unix socket.
    public static let socketMissing = Reason(.local, "socketMissing")

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
    /// The resolver's answer makes no sense.
    public static let malformedAnswer = Reason(.name, "malformed")
    /// The requested name cannot be a name.
    public static let invalidName = Reason(.name, "invalidName")

    /// A router has no route (ICMP).
    public static let netUnreachable = Reason(.path, "netUnreachable")
    /// A router cannot reach the host (ICMP).
    public static let hostUnreachable = Reason(.path, "hostUnreachable")
    /// A router or host forbids it (ICMP).
    public static let adminProhibited = Reason(.path, "adminProhibited")
    /// No answer and no ICMP error.
    public static let blackHole = Reason(.path, "blackHole")
    /// A packet is too large for a link on the way, and may not be cut (ICMP).
    public static let tooBig = Reason(.path, "mtu")
    /// The packet went through too many routers, as in a loop (ICMP).
    public static let ttlExceeded = Reason(.path, "ttlExceeded")
    /// A router or host did not understand the packet's header (ICMP).
    public static let parameterProblem = Reason(.path, "parameterProblem")

    /// The port is closed: the host is there.
    public static let refused = Reason(.transport, "refused")
    /// The connection was reset: the host is there.
    public static let reset = Reason(.transport, "reset")
    /// Connected, and closed before an answer came.
    public static let closedEarly = Reason(.transport, "closedEarly")
    /// Connected, and silent since.
    public static let halfOpen = Reason(.transport, "halfOpen")
    /// The service does not take the connections that wait for it.
    public static let backlogFull = Reason(.transport, "backlogFull")

    /// The handshake did not end in time.
    public static let tlsTimeout = Reason(.tls, "timeout")
    /// The server ended the session with an alert (RFC 8446 section 6.2).
    public static let tlsAlert = Reason(.tls, "alert")
    /// The certificate has expired.
    public static let tlsExpired = Reason(.tls, "expired")
    /// The certificate is not valid yet.
    public static let tlsNotYetValid = Reason(.tls, "notYetValid")
    /// The certificate has no trusted issuer.
    public static let tlsUntrusted = Reason(.tls, "untrusted")
    /// The certificate is for other names.
    public static let tlsNameMismatch = Reason(.tls, "nameMismatch")
    /// The two sides have no version of TLS, or protocol inside it (ALPN), in common.
    public static let tlsVersionOrALPN = Reason(.tls, "versionOrALPN")
    /// The peer does not speak TLS.
    public static let tlsMalformed = Reason(.tls, "malformed")

    /// The status is not the expected one.
    public static let status = Reason(.app, "status")
    /// The answer is a redirect.
    public static let redirect = Reason(.app, "redirect")
    /// The body is not the expected one.
    public static let bodyMismatch = Reason(.app, "bodyMismatch")
    /// Connected, and no answer has begun in time.
    public static let firstByteTimeout = Reason(.app, "firstByteTimeout")
    /// The answer has begun, but did not end in time.
    public static let bodyTimeout = Reason(.app, "bodyTimeout")
    /// The answer is not of the protocol.
    public static let malformed = Reason(.app, "malformed")
    /// The service requires authentication.
    public static let authRequired = Reason(.app, "authRequired")

    /// A portal redirects to its own page.
    public static let portalRedirect = Reason(.portal, "redirect")
    /// A portal answers with its own page.
    public static let portalContent = Reason(.portal, "contentReplaced")
    /// A portal that stands in for a secure server, whose certificate it does not have.
    public static let portalInterception = Reason(.portal, "tlsIntercepted")
    /// A portal that declares itself (status 511, RFC 6585).
    public static let portalHTTP511 = Reason(.portal, "http511")

    /// This process may not send such probes.
    public static let permission = Reason(.monitor, "permission")
    /// This prober has no such probes.
    public static let unsupported = Reason(.monitor, "unsupported")
    /// This host has no trusted certificates to check others with.
    public static let noTrustRoots = Reason(.monitor, "noTrustRoots")
    /// This process or host has run out of a resource.
    public static let resources = Reason(.monitor, "resources")
    /// No reference target answers either: this host counts as offline.
    public static let offline = Reason(.monitor, "offline")
    /// This process did not run when it should have.
    public static let overloaded = Reason(.monitor, "overloaded")
    /// The evidence is too old.
    public static let stale = Reason(.monitor, "stale")
    /// The prober was ended before the target's answer.
    public static let stopped = Reason(.monitor, "stopped")

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
