// SPDX-License-Identifier: Apache-2.0

/// The reason why a target is unreachable or degraded: the part of the path, and the problem there.
public struct Reason: Hashable, Codable, Sendable {
    /// The part of the path from this host to the service, nearest first.
    public enum Scope: String, CaseIterable, Codable, Sendable {
        /// The monitor itself, so that nothing is known about the target.
        case monitor
        /// This host's interfaces, addresses and routes.
        case local
        /// The resolution of the name.
        case name
        /// The network between this host and the target's host.
        case path
        /// The TCP or other connection.
        case transport
        /// The TLS session.
        case tls
        /// The service's response.
        case app
        /// A portal that responds in the target's place.
        case portal
        /// The quality: the target answers, but with loss or delay.
        case quality
    }

    /// The part of the path.
    public let scope: Scope
    /// The problem, as a stable identifier for programs.
    public let code: String

    /// Makes a reason. Common reasons are static properties below.
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
    /// The interface waits for an external event: authentication (802.1X), or a dialled connection.
    public static let dormant = Reason(.local, "dormant")
    /// The interface has only addresses that are valid on its link.
    public static let linkLocalOnly = Reason(.local, "linkLocalOnly")
    /// The interface has no address.
    public static let noAddress = Reason(.local, "noAddress")
    /// No route leads to the target (ENETUNREACH from the call).
    public static let noRoute = Reason(.local, "noRoute")
    /// A route of the type `unreachable` (EHOSTUNREACH from the call).
    public static let routeUnreachable = Reason(.local, "routeUnreachable")
    /// A route of the type `prohibit` (EACCES).
    public static let routeProhibited = Reason(.local, "routeProhibited")
    /// A route of the type `blackhole` (EINVAL).
    public static let routeBlackhole = Reason(.local, "routeBlackhole")
    /// The next hop does not answer address resolution (EHOSTUNREACH after about three seconds).
    public static let neighbourUnresolved = Reason(.local, "neighbourUnresolved")
    /// This host does not support the address family, for example because IPv6 is switched off.
    public static let familyUnsupported = Reason(.local, "familyUnsupported")
    /// A link-local address without the interface on which it is valid.
    public static let scopeMissing = Reason(.local, "scopeMissing")
    /// The unix socket does not exist.
    public static let socketMissing = Reason(.local, "socketMissing")

    /// The name does not exist.
    public static let nxdomain = Reason(.name, "nxdomain")
    /// The name has no address of the requested family.
    public static let nodata = Reason(.name, "nodata")
    /// The resolver failed.
    public static let servfail = Reason(.name, "servfail")
    /// The resolver refused the query.
    public static let queryRefused = Reason(.name, "refused")
    /// The resolver does not answer.
    public static let queryTimeout = Reason(.name, "timeout")
    /// The resolver cannot be reached.
    public static let serverUnreachable = Reason(.name, "serverUnreachable")
    /// The resolver's response could not be parsed, or did not match the query.
    public static let malformedAnswer = Reason(.name, "malformed")
    /// The requested name is not a valid name.
    public static let invalidName = Reason(.name, "invalidName")

    /// A router has no route (ICMP).
    public static let netUnreachable = Reason(.path, "netUnreachable")
    /// A router cannot reach the host (ICMP).
    public static let hostUnreachable = Reason(.path, "hostUnreachable")
    /// A router or host prohibits the traffic (ICMP).
    public static let adminProhibited = Reason(.path, "adminProhibited")
    /// No answer and no ICMP error.
    public static let blackHole = Reason(.path, "blackHole")
    /// A packet is too large for a link on the path, and may not be fragmented (ICMP).
    public static let tooBig = Reason(.path, "mtu")
    /// The packet passed too many routers, as in a routing loop (ICMP).
    public static let ttlExceeded = Reason(.path, "ttlExceeded")
    /// A router or host did not understand the packet's header (ICMP).
    public static let parameterProblem = Reason(.path, "parameterProblem")

    /// The port is closed, so the host is reachable.
    public static let refused = Reason(.transport, "refused")
    /// The connection was reset, so the host is reachable.
    public static let reset = Reason(.transport, "reset")
    /// The connection was established, and closed before a response arrived.
    public static let closedEarly = Reason(.transport, "closedEarly")
    /// The connection was established, but the target has not responded since.
    public static let halfOpen = Reason(.transport, "halfOpen")
    /// The service does not accept the connections in its backlog.
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
    /// The certificate is for other names than the target's.
    public static let tlsNameMismatch = Reason(.tls, "nameMismatch")
    /// Client and server have no TLS version or application protocol (ALPN) in common.
    public static let tlsVersionOrALPN = Reason(.tls, "versionOrALPN")
    /// The peer does not speak TLS.
    public static let tlsMalformed = Reason(.tls, "malformed")

    /// The HTTP status is not the expected one.
    public static let status = Reason(.app, "status")
    /// The HTTP response is a redirect.
    public static let redirect = Reason(.app, "redirect")
    /// The body does not contain the expected text.
    public static let bodyMismatch = Reason(.app, "bodyMismatch")
    /// The connection was established, but no response started in time.
    public static let firstByteTimeout = Reason(.app, "firstByteTimeout")
    /// The response started, but did not end in time.
    public static let bodyTimeout = Reason(.app, "bodyTimeout")
    /// The response does not follow the protocol.
    public static let malformed = Reason(.app, "malformed")
    /// The service requires authentication.
    public static let authRequired = Reason(.app, "authRequired")

    /// A portal redirects to its own page.
    public static let portalRedirect = Reason(.portal, "redirect")
    /// A portal responds with its own page.
    public static let portalContent = Reason(.portal, "contentReplaced")
    /// A portal intercepts TLS connections, without a valid certificate for the server.
    public static let portalInterception = Reason(.portal, "tlsIntercepted")
    /// A portal that identifies itself (status 511, RFC 6585).
    public static let portalHTTP511 = Reason(.portal, "http511")

    /// This process is not permitted to send such probes.
    public static let permission = Reason(.monitor, "permission")
    /// The prober does not support such probes.
    public static let unsupported = Reason(.monitor, "unsupported")
    /// This host's trusted certificates could not be read, so no server can be authenticated.
    public static let noTrustRoots = Reason(.monitor, "noTrustRoots")
    /// This process or host has run out of a resource.
    public static let resources = Reason(.monitor, "resources")
    /// No reference target answers either: this host counts as offline.
    public static let offline = Reason(.monitor, "offline")
    /// This process was delayed, so that replies may have been missed.
    public static let overloaded = Reason(.monitor, "overloaded")
    /// The last evidence is too old.
    public static let stale = Reason(.monitor, "stale")
    /// The prober was stopped before the target answered.
    public static let stopped = Reason(.monitor, "stopped")

    /// The share of lost probes exceeds the policy's limit.
    public static let loss = Reason(.quality, "loss")
    /// Round-trip times exceed the policy's limit.
    public static let latency = Reason(.quality, "latency")
    /// One address family answers, the other does not.
    public static let familyBroken = Reason(.quality, "familyBroken")
}

extension Reason: CustomStringConvertible {
    /// Scope and code, such as "path.blackHole".
    public var description: String { "\(scope.rawValue).\(code)" }
}
