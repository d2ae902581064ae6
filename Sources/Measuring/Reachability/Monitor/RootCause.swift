// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Finds the cause of a target's failure: the lowest of link, gateway, host, port and service that is down.
enum RootCause {
    /// The target whose failure causes the failure in `status`; nil if there is no other target to blame, or no
    /// failure.
    ///
    /// - Parameter known: returns the status of a target that is watched and has answered before; nil for others.
    static func of(_ status: Status, among known: (Target) -> Status?) -> Target? {
        guard status.state.isDown, let reason = status.reason else { return nil }
        if reason.isOfLink, let interface = status.path?.interface, status.target != .link(interface) {
            return .link(interface)
        }
        // A gateway that answers is not the cause; one that never answered may just ignore probes.
        if reason.isSilence || reason == .neighbourUnresolved, let gateway = status.path?.gatewayTarget {
            if gateway != status.target, let state = known(gateway)?.state, state.isDown { return gateway }
        }
        for prerequisite in status.target.prerequisites {
            if let other = known(prerequisite), other.state.isDown { return of(other, among: known) ?? prerequisite }
        }
        return nil
    }
}

extension Path {
    /// The first router as a target; for a link-local address, with its interface.
    var gatewayTarget: Target? {
        guard let gateway else { return nil }
        guard gateway.family == .ipv6, gateway.isLinkLocal, gateway.scope == 0, let interface else {
            return .icmp(gateway.description)
        }
        return .icmp("\(gateway)%\(interface)")
    }
}

extension Target {
    /// The targets on which this one depends, lowest first.
    fileprivate var prerequisites: [Target] {
        if case .over(let target, let interface) = self {
            return target.prerequisites.map { .over($0, interface: interface) }
        }
        guard let host else { return [] }
        var prerequisites: [Target] = [.icmp(host), .host(host)]
        switch self {
        case .tls(let endpoint): prerequisites.append(.tcp(endpoint))
        case .http(let question):
            let endpoint = Endpoint(question.host, question.port)
            prerequisites += [.tcp(endpoint)] + (question.isSecure ? [.tls(endpoint)] : [])
        case .dns(let server, _, _): prerequisites.append(.tcp(server))
        default: break
        }
        return prerequisites.filter { $0 != self }
    }
}

extension Reason {
    /// Whether the reason concerns a link of this host, rather than the path to one target.
    fileprivate var isOfLink: Bool {
        [.adminDown, .noCarrier, .interfaceMissing, .noAddress, .dormant, .linkLocalOnly].contains(self)
    }
}
