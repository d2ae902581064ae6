// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// One question to a target whose address is known.
public enum Probe: Hashable, Sendable {
    /// An ICMP echo request.
    case icmp(IPAddress)
    /// A TCP handshake.
    case tcp(IPAddress, port: UInt16)
    /// A datagram that a service is expected to send back (RFC 862).
    case udp(IPAddress, port: UInt16)
    /// A connection to a socket of this host.
    case unix(path: String)
    /// A query to one server.
    case dns(DNSQuestion, server: IPAddress, port: UInt16 = 53, overTCP: Bool = false)
    /// A TLS handshake, with the name that the certificate must bear.
    case tls(IPAddress, port: UInt16, name: String)
    /// An HTTP request.
    case http(HTTPQuestion, IPAddress)
    /// Another question, by packets that leave over an interface.
    indirect case over(Probe, interface: String)

    /// The question, over whatever interface.
    package var plain: Probe { if case .over(let probe, _) = self { probe } else { self } }

    /// The interface that packets must leave over; nil for any.
    var interface: String? { if case .over(_, let interface) = self { interface } else { nil } }
}

/// A question to a DNS server.
public struct DNSQuestion: Hashable, Codable, Sendable {
    /// The record types that are asked for.
    public enum RecordType: UInt16, Codable, Sendable {
        case a = 1
        case aaaa = 28
    }

    /// The name, without a dot at the end.
    public var name: String
    /// The record type.
    public var type: RecordType

    /// Makes a question.
    public init(_ name: String, _ type: RecordType) {
        self.name = name
        self.type = type
    }
}

/// A question to a web server, and the condition on its answer.
public struct HTTPQuestion: Hashable, Codable, Sendable {
    /// Whether over TLS.
    public var isSecure: Bool
    /// The name for the Host header, SNI and the certificate; may be an address.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The path, with its query.
    public var path: String
    /// The status that is expected; nil for any from 200 to 399.
    public var status: Int?
    /// Words that the body must contain; nil for any body.
    public var body: String?
    /// Whether another answer than the expected one means that a portal answers in the server's place.
    public var detectsPortal: Bool

    /// Makes a question.
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
