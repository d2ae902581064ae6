// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The probes of one address of a target, and their results.
struct Track: Sendable {
    /// A number that is unique among all present and past tracks of the target.
    let number: Int
    /// The address; nil for a unix socket.
    let address: IPAddress?
    /// The index of the target's request that this track probes; 0 if there is only one.
    let question: Int
    var probe: Probe
    var judge: Judge
    /// When to send the next probe; nil while the kernel refuses to send.
    var due: Duration?
    var path: Path?
    /// The interface by which packets last left.
    var lastInterface: String?
    var last: Observation?
    /// The last failure that a router or host reported by ICMP.
    var lastICMPError: Observation?
    /// The number of silent probes since that failure.
    var silences = 0
    /// Whether the current kind of probe has been answered before.
    var hasAnswered = false
    /// Whether this process is not permitted to use ICMP.
    var lacksICMP = false
}

extension Target {
    /// The host names to look up, one for each of the target's requests.
    func hosts(_ policy: Policy) -> [String] {
        if case .internet = plain { return policy.internetChecks.map(\.host) }
        return host.map { [$0] } ?? []
    }

    /// The probe for one of the target's requests, at an address of its host; nil for a target without probes.
    func probe(_ question: Int, at address: IPAddress, _ policy: Policy) -> Probe? {
        switch self {
        case .link: return nil
        case .unix(let path): return .unix(path: path)
        case .internet:
            var check = policy.internetChecks[question]
            check.detectsPortal = true
            return .http(check, address)
        case .host, .icmp: return .icmp(address)
        case .tcp(let endpoint): return .tcp(address, port: endpoint.port)
        case .udp(let endpoint): return .udp(address, port: endpoint.port)
        case .tls(let endpoint): return .tls(address, port: endpoint.port, name: endpoint.host)
        case .http(let question): return .http(question, address)
        case .dns(let server, let name, let overTCP):
            return .dns(DNSQuestion(name, .a), server: address, port: server.port, overTCP: overTCP)
        case .over(let target, _): return target.probe(question, at: address, policy)
        }
    }

    /// Whether the probes are queries to port 53, to which a profile may give other conditions.
    var asksDNS: Bool { if case .dns(let server, _, _) = plain { server.port == 53 } else { false } }

    func timeout(_ policy: Policy) -> Duration {
        switch plain {
        case .http, .tls, .internet: policy.sessionTimeout
        default: policy.timeout
        }
    }
}

extension Probe {
    /// Ports that are open, or refuse connections, on most hosts: probed if ICMP is not available.
    static let commonPorts: [UInt16] = [443, 80, 22]

    /// The next kind of probe to try for a host: ICMP, then one TCP port after the other.
    func alternative(lacksICMP: Bool) -> Probe? {
        switch self {
        case .icmp(let address): return .tcp(address, port: Self.commonPorts[0])
        case .tcp(let address, let port):
            guard let index = Self.commonPorts.firstIndex(of: port) else { return nil }
            if index + 1 < Self.commonPorts.count { return .tcp(address, port: Self.commonPorts[index + 1]) }
            return lacksICMP ? .tcp(address, port: Self.commonPorts[0]) : .icmp(address)
        default: return nil
        }
    }
}
