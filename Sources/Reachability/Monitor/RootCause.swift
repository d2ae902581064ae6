// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Finds a failure's cause: the first of link, gateway, host, port and service that is down.
enum RootCause {
    /// The cause of `status`; nil where it is the target itself, or it does not fail.
    ///
    /// - Parameter known: the status of a target that is watched, and has answered before.
    static func of(_ status: Status, among known: (Target) -> Status?) -> Target? {
        guard status.state.isDown, let reason = status.reason else { return nil }
        if reason.isOfLink, let interface = status.path?.interface, status.target != .link(interface) {
            return .link(interface)
        }
        // A gateway that answers clears everything up to itself; one that never did says nothing.
        if reason.isSilence || reason == .neighbourUnresolved, let rung = status.path?.gatewayTarget {
            if rung != status.target, let state = known(rung)?.state, state.isDown { return rung }
        }
        for rung in status.target.rungs {
            if let other = known(rung), other.state.isDown { return of(other, among: known) ?? rung }
        }
        return nil
    }
}

extension Path {
    /// The first router as a target; a link-local address with the interface that it belongs to.
    var gatewayTarget: Target? {
        guard let gateway else { return nil }
        guard gateway.family == .ipv6, gateway.isLinkLocal, gateway.scope == 0, let interface else {
            return .icmp(gateway.description)
        }
        return .icmp("\(gateway)%\(interface)")
    }
}

extension Target {
    /// What this target needs, lowest first.
    fileprivate var rungs: [Target] {
        guard let host else { return [] }
        var rungs: [Target] = [.icmp(host), .host(host)]
        switch self {
        case .tls(let endpoint): rungs.append(.tcp(endpoint))
        case .http(let question):
            let endpoint = Endpoint(question.host, question.port)
            rungs += [.tcp(endpoint)] + (question.isSecure ? [.tls(endpoint)] : [])
        case .dns(let server, _, _): rungs.append(.tcp(server))
        default: break
        }
        return rungs.filter { $0 != self }
    }
}

extension Reason {
    /// Whether it is about a link of this host, rather than about the way to one target.
    fileprivate var isOfLink: Bool {
        [.adminDown, .noCarrier, .interfaceMissing, .noAddress, .dormant, .linkLocalOnly].contains(self)
    }
}
