// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The action of a fault on a packet.
public enum FaultAction: Hashable, Sendable {
    /// Drops the packet.
    case lose
    /// Drops the packet and all later packets of its connection, in both directions.
    case loseFromHere
    /// Drops the packet, and sends an error to its sender.
    case refuse(Refusal)
    /// Ends the packet's connection by an RST to each end.
    case reset
    /// Ends the packet's connection by a FIN to each end, and an RST for data that an end still sends.
    case close
    /// Sends each end a FIN, and acknowledges data that an end still sends.
    case halfClose
    /// Acknowledges the packet and all later ones of its connection with a window of zero, and delivers nothing.
    case stall
    /// Answers a DNS query in the server's name.
    case answer(DNSFaultAnswer)
    /// Delays a DNS query by a time, and so the server's answer.
    case hold(Duration)
    /// Answers as a captive portal with this URL: HTTP on port 80 is redirected to it, TLS on port 443 is reset.
    case portal(String)

    /// The kind of error that is sent to the sender of a refused packet.
    public enum Refusal: String, CaseIterable, Hashable, Sendable {
        /// A TCP RST.
        case reset
        /// ICMP: port unreachable.
        case port
        /// ICMP: host unreachable; ICMPv6: address unreachable.
        case host
        /// ICMP: network unreachable; ICMPv6: no route to destination.
        case net
        /// ICMP: communication administratively prohibited.
        case prohibited
        /// ICMP: fragmentation needed; ICMPv6: packet too big. The reported MTU is the length that the match allows
        /// (`larger`).
        case packetTooBig = "packet too big"
    }

    /// The effect, without its figures.
    public var effect: FaultMark.Effect {
        switch self {
        case .lose: .lose
        case .loseFromHere: .loseFromHere
        case .refuse: .refuse
        case .reset: .reset
        case .close: .close
        case .halfClose: .halfClose
        case .stall: .stall
        case .answer: .answer
        case .hold: .hold
        case .portal: .portal
        }
    }

    /// Whether the action ends a connection by packets to both ends, so that it can act without a packet of the
    /// connection.
    var endsConnection: Bool {
        switch self {
        case .reset, .close, .halfClose: true
        default: false
        }
    }

    /// The only protocol that the action applies to; nil for all.
    package var onlyProtocol: TransportProtocol? {
        switch self {
        case .reset, .close, .halfClose, .stall, .portal, .refuse(.reset): .tcp
        case .answer(.truncated): .udp
        default: nil
        }
    }

    /// Whether the action applies to DNS queries only.
    package var isForQueries: Bool {
        switch self {
        case .answer, .hold: true
        default: false
        }
    }
}

/// The answer of a fault to a DNS query.
public enum DNSFaultAnswer: Hashable, Sendable {
    /// The name does not exist.
    case nameError
    /// The server cannot answer.
    case serverFailure
    /// The server refuses to answer.
    case refused
    /// The name has no such record.
    case empty
    /// The answer is truncated (TC): the client must ask again over TCP.
    case truncated
    /// This address; queries for other types are answered as empty.
    case address(IPAddress)

    /// The answers that profiles write as words.
    package static let words: [(word: String, answer: DNSFaultAnswer)] = [
        ("NXDOMAIN", .nameError), ("SERVFAIL", .serverFailure), ("REFUSED", .refused), ("empty", .empty),
        ("truncated", .truncated),
    ]

    /// The answer as profiles write it.
    public var text: String {
        if case .address(let address) = self { return address.description }
        return Self.words.first { $0.answer == self }?.word ?? ""
    }
}
