// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Finds a failure's cause: the first of link, gateway, host, port and service that is down.
enum RootCause {
    /// The cause of `status`; nil if it is the target itself, or it does not fail.
    ///
    /// - Parameter known: the status of a target that is watched, and has answered before.
    static func of(_ status: Status, among known: (Target) -> Status?) -> Target? {
        guard status.state.isDown, let reason = status.reason else { return nil }
        if reason.isOfLink, let interface = status.path?.interface, status.target != .link(interface) {
            return .link(interface)
        }
        // A gateway that answers rules out everything up to itself; one that never answered says nothing.
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
    /// The targets that this one needs, lowest first.
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
    /// Whether it is about a link of this host, rather than about the way to one target.
    fileprivate var isOfLink: Bool {
        [.adminDown, .noCarrier, .interfaceMissing, .noAddress, .dormant, .linkLocalOnly].contains(self)
    }
}
