// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The packets a fault happens to: those that match all of this. Nil or empty matches every packet.
public struct FaultMatch: Hashable, Sendable {
    /// The ends of matching packets.
    public var ends = Ends()
    /// The ends that exclude a packet, of which one is enough.
    public var exclusions = Ends()
    /// The version of IP.
    public var version: IPAddress.Family?
    /// The kind of packet, or its position in its connection.
    public var packet: PacketKind?
    /// The place of its connection among those that the fault is about.
    public var connection: Ordinal?
    /// The progress that the connection must have made.
    public var after: Progress?
    /// The name that a DNS query asks for.
    public var name: NamePattern?
    /// The type of record that it asks for.
    public var recordType: RecordType?
    /// The packet is longer, from the IP header on.
    public var larger: Int?
    /// The share of the packets that it happens to, of those that the rest is true of.
    public var probability: Probability?
    /// The packet's direction.
    public var direction: Direction?

    /// Makes a match of every packet.
    public init() {}

    /// The ends of a packet, as rules select them: of one kind any, of all kinds that are not empty one.
    public struct Ends: Hashable, Sendable {
        /// The remote end is one of these.
        public var remotes: [Remote] = []
        /// Either port is one of these.
        public var ports: [UInt16] = []
        /// The packet's protocol is one of these.
        public var protocols: [TransportProtocol] = []

        /// Makes ends that are those of every packet.
        public init() {}

        /// Whether they are those of every packet.
        public var isEmpty: Bool { remotes.isEmpty && ports.isEmpty && protocols.isEmpty }
    }

    /// Whom a packet is from or to.
    public enum Remote: Hashable, Sendable {
        /// An address, or all of a network.
        case prefix(AddressPrefix)
        /// A name, which must be resolved before an engine uses it.
        case name(String)
    }

    /// The kinds of packets.
    public enum PacketKind: Hashable, Sendable {
        /// Opens a TCP connection: SYN without ACK.
        case syn
        /// Begins with an Initial packet of QUIC.
        case quicInitial
        /// Has a ClientHello of TLS that asks for such a name.
        case tlsHello(NamePattern)
        /// By number among its connection's matching packets: the first, the nth, every nth.
        case ordinal(Ordinal)
        /// Every nth matching packet.
        case every(Int)
    }

    /// A place in an order, from 1 on.
    public enum Ordinal: Hashable, Sendable {
        /// The nth matching packet.
        case nth(Int)
        /// The first so many.
        case first(Int)
        /// All matching packets but the first.
        case afterTheFirst

        /// Whether a place is one of them.
        package func contains(_ place: Int) -> Bool {
            switch self {
            case .nth(let number): place == number
            case .first(let count): place <= count
            case .afterTheFirst: place > 1
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

    /// Whether it is about the packet, its connection or chance, and not only about ends, version and direction, which
    /// contradictions are found by. A property that is added later makes a match narrow, so that it shadows no other.
    var isNarrow: Bool {
        var rest = self
        (rest.ends, rest.exclusions, rest.version, rest.direction) = (Ends(), Ends(), nil, nil)
        if let probability, probability >= .one { rest.probability = nil }
        return rest != FaultMatch()
    }
}

/// A host name, or "*." with a name, which stands for all names below it; "*" stands for every name.
public struct NamePattern: Hashable, Sendable {
    /// The pattern in lower case.
    public let text: String

    /// Reads a pattern; nil for what is no name.
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

    /// Whether it stands for a name, in whatever case.
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

    /// The name in capital letters: "AAAA".
    public var name: String { "\(self)".uppercased() }
}
