// SPDX-License-Identifier: Apache-2.0

/// A watched target. Targets with equal text are equal, and share their probes.
public enum Target: Hashable, Sendable {
    /// Whether this host's network leads to the internet, without a portal in between.
    case internet
    /// One of this host's interfaces; no packet is sent.
    case link(String)
    /// A host, by name or address: whether it answers at all, by ICMP, or where that is not to be had by TCP.
    case host(String)
    /// A host's answer to ICMP echo requests.
    case icmp(String)
    /// A TCP service.
    case tcp(Endpoint)
    /// A UDP service that sends back what it gets (RFC 862).
    case udp(Endpoint)
    /// A TLS service, with a certificate that holds.
    case tls(Endpoint)
    /// A page of a web server, over HTTP or HTTPS.
    case http(HTTPQuestion)
    /// One DNS server's answer about one name.
    case dns(server: Endpoint, name: String, overTCP: Bool)
    /// A socket of this host.
    case unix(path: String)
    /// Another target, by packets that leave over an interface.
    indirect case over(Target, interface: String)

    /// A host, by name or address, and a port of it.
    public struct Endpoint: Hashable, Sendable {
        /// Name or address.
        public var host: String
        /// The port.
        public var port: UInt16

        /// Makes an endpoint.
        public init(_ host: String, _ port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// The name or address to resolve first; nil if there is none.
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

    /// The target, over whatever interface.
    package var plain: Target { if case .over(let target, _) = self { target } else { self } }

    /// The interface that packets must leave over; nil for any.
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
