// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The packets that a fault happens to: packets that meet all conditions. A nil or empty condition is met by every
/// packet.
public struct FaultMatch: Hashable, Sendable {
    /// The ends of matching packets.
    public var ends = Ends()
    /// The ends whose packets are excluded: a match of one remote, port or protocol is enough.
    public var exclusions = Ends()
    /// The address family.
    public var version: IPAddress.Family?
    /// The kind of packet, or its position in its connection.
    public var packet: PacketKind?
    /// The ordinal of the packet's connection among the connections that the fault concerns.
    public var connection: Ordinal?
    /// The progress that the connection must have made.
    public var after: Progress?
    /// The name that a DNS query asks for.
    public var name: NamePattern?
    /// The record type that a DNS query asks for.
    public var recordType: RecordType?
    /// The length in bytes, from the IP header on, that the packet must exceed.
    public var larger: Int?
    /// The probability with which a packet that meets the other conditions matches.
    public var probability: Probability?
    /// The packet's direction.
    public var direction: Direction?

    /// Makes a match of every packet.
    public init() {}

    /// Conditions on the ends of a packet: each non-empty list must contain a matching element.
    public struct Ends: Hashable, Sendable {
        /// The remote end is one of these.
        public var remotes: [Remote] = []
        /// Either port is one of these.
        public var ports: [UInt16] = []
        /// The packet's protocol is one of these.
        public var protocols: [TransportProtocol] = []

        /// Makes conditions that every packet meets.
        public init() {}

        /// Whether every packet meets the conditions.
        public var isEmpty: Bool { remotes.isEmpty && ports.isEmpty && protocols.isEmpty }
    }

    /// The remote end of a packet.
    public enum Remote: Hashable, Sendable {
        /// An address, or all of a network.
        case prefix(AddressPrefix)
        /// A name, which must be resolved before an engine uses it.
        case name(String)
    }

    /// The kinds of packets.
    public enum PacketKind: Hashable, Sendable {
        /// A packet that opens a TCP connection: SYN without ACK.
        case syn
        /// A datagram that starts with a QUIC Initial packet.
        case quicInitial
        /// The packet that completes a TLS ClientHello whose server name matches the pattern.
        case tlsHello(NamePattern)
        /// A packet with this ordinal among its connection's matching packets.
        case ordinal(Ordinal)
        /// Every nth matching packet.
        case every(Int)
    }

    /// A set of ordinals, which are counted from 1.
    public enum Ordinal: Hashable, Sendable {
        /// The nth only.
        case nth(Int)
        /// The first n.
        case first(Int)
        /// All except the first.
        case afterTheFirst

        /// Whether the set contains this ordinal, counted from 1.
        package func contains(_ ordinal: Int) -> Bool {
            switch self {
            case .nth(let number): ordinal == number
            case .first(let count): ordinal <= count
            case .afterTheFirst: ordinal > 1
            }
        }
    }

    /// The progress of a connection.
    public enum Progress: Hashable, Sendable {
        /// Once both ends together have sent this many bytes of payload.
        case bytes(ByteCount)
        /// Once the connection has this age.
        case time(Duration)
        /// Once nothing was sent on it for this time.
        case idle(Duration)
    }

    /// The names of remote ends, which an engine does not resolve.
    package var unresolvedNames: [String] {
        (ends.remotes + exclusions.remotes).compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Whether the match has any condition besides ends, address family and direction. The check for shadowed faults
    /// understands only these: a property that is added later makes a match narrow, so that it shadows no other fault.
    var isNarrow: Bool {
        var rest = self
        (rest.ends, rest.exclusions, rest.version, rest.direction) = (Ends(), Ends(), nil, nil)
        if let probability, probability >= .one { rest.probability = nil }
        return rest != FaultMatch()
    }
}

/// A host name, or a pattern: "*.NAME" matches all names below NAME, "*" matches every name.
public struct NamePattern: Hashable, Sendable {
    /// The pattern in lower case.
    public let text: String

    /// Reads a pattern; nil if the text is not a valid name.
    public init?(_ text: String) {
        var name = text.lowercased()
        if name.hasSuffix("."), name != "." { name.removeLast() }
        self.text = name
        let rest = name == "*" ? "a" : name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
        let labels = rest.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            1...63 ~= label.utf8.count
                && label.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                }
        }
        guard isName, rest.utf8.count <= 253 else { return nil }
    }

    /// Whether the pattern matches a name, regardless of case.
    package func matches(_ name: some StringProtocol) -> Bool {
        guard text != "*" else { return true }
        let name = name.lowercased()
        return text.hasPrefix("*.") ? name.hasSuffix(text.dropFirst()) && name.count > text.count - 1 : name == text
    }
}

/// A type of DNS record (IANA, "Domain Name System Parameters").
public enum RecordType: UInt16, CaseIterable, Hashable, Sendable {
    case a = 1
    case ns = 2
    case cname = 5
    case soa = 6
    case ptr = 12
    case mx = 15
    case txt = 16
    case aaaa = 28
    case srv = 33
    case naptr = 35
    case ds = 43
    case dnskey = 48
    case tlsa = 52
    case svcb = 64
    case https = 65
    case any = 255
    case caa = 257

    /// The type's name in capital letters: "AAAA".
    public var name: String { "\(self)".uppercased() }
}
