// SPDX-License-Identifier: Apache-2.0

/// A watched target. Targets with equal text are equal, and share their probes.
public enum Target: Hashable, Sendable {
    /// The internet, which is reachable if known servers answer and no portal does in their place.
    case internet
    /// One of this host's interfaces; watching it sends no packets.
    case link(String)
    /// A host, by name or address: whether it answers to ICMP, or to TCP if ICMP is not available.
    case host(String)
    /// A host, by its replies to ICMP echo requests.
    case icmp(String)
    /// A TCP service.
    case tcp(Endpoint)
    /// A UDP service that echoes datagrams (RFC 862).
    case udp(Endpoint)
    /// A TLS service with a valid certificate.
    case tls(Endpoint)
    /// A page of a web server, over HTTP or HTTPS.
    case http(HTTPQuestion)
    /// A DNS server, by its response for one name.
    case dns(server: Endpoint, name: String, overTCP: Bool)
    /// A unix socket on this host.
    case unix(path: String)
    /// Another target, by packets that leave over this interface.
    indirect case over(Target, interface: String)

    /// A host, by name or address, and a port.
    public struct Endpoint: Hashable, Sendable {
        /// The name or address.
        public var host: String
        /// The port.
        public var port: UInt16

        /// Makes an endpoint.
        public init(_ host: String, _ port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// The name or address to resolve before probing; nil if there is none.
    public var host: String? {
        switch self {
        case .internet, .link, .unix: nil
        case .host(let host), .icmp(let host): host
        case .tcp(let endpoint), .udp(let endpoint), .tls(let endpoint): endpoint.host
        case .http(let question): question.host
        case .dns(let server, _, _): server.host
        case .over(let target, _): target.host
        }
    }

    /// The target without its interface.
    package var plain: Target { if case .over(let target, _) = self { target } else { self } }

    /// The interface over which packets must leave; nil for any.
    package var interface: String? { if case .over(_, let interface) = self { interface } else { nil } }
}

extension Target: Codable {
    /// Decodes the target from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = try Target(try container.decode(String.self))
        } catch let error as TargetError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the target as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
