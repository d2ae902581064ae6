// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// One probe of a target whose address is known.
public enum Probe: Hashable, Sendable {
    /// An ICMP echo request.
    case icmp(IPAddress)
    /// A TCP handshake.
    case tcp(IPAddress, port: UInt16)
    /// A datagram to a service that is expected to echo it (RFC 862).
    case udp(IPAddress, port: UInt16)
    /// A connection to a unix socket on this host.
    case unix(path: String)
    /// A query to one DNS server.
    case dns(DNSQuestion, server: IPAddress, port: UInt16 = 53, overTCP: Bool = false)
    /// A TLS handshake, with the name that the certificate must have.
    case tls(IPAddress, port: UInt16, name: String)
    /// An HTTP request.
    case http(HTTPQuestion, IPAddress)
    /// Another probe, whose packets must leave over this interface.
    indirect case over(Probe, interface: String)

    /// The probe without its interface.
    package var plain: Probe { if case .over(let probe, _) = self { probe } else { self } }

    /// The interface over which packets must leave; nil for any.
    var interface: String? { if case .over(_, let interface) = self { interface } else { nil } }
}

/// A query to a DNS server.
public struct DNSQuestion: Hashable, Codable, Sendable {
    /// The record types that can be queried.
    public enum RecordType: UInt16, Codable, Sendable {
        case a = 1
        case aaaa = 28
    }

    /// The name, without a trailing dot.
    public var name: String
    /// The record type.
    public var type: RecordType

    /// Makes a query.
    public init(_ name: String, _ type: RecordType) {
        self.name = name
        self.type = type
    }
}

/// A request to a web server, and the expected response.
public struct HTTPQuestion: Hashable, Codable, Sendable {
    /// Whether to use TLS.
    public var isSecure: Bool
    /// The name or address for the Host header, SNI and the certificate.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The path, with its query string.
    public var path: String
    /// The expected status code; nil for any from 200 to 399.
    public var status: Int?
    /// A text that the body must contain; nil for any body.
    public var body: String?
    /// Whether an unexpected response means that a portal answers in the server's place.
    public var detectsPortal: Bool

    /// Makes a request.
    public init(
        isSecure: Bool = false,
        host: String,
        port: UInt16,
        path: String = "/",
        status: Int? = nil,
        body: String? = nil,
        detectsPortal: Bool = false
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
        self.status = status
        self.body = body
        self.detectsPortal = detectsPortal
    }
}
