// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The action of a fault on a packet.
public enum FaultAction: Hashable, Sendable {
    /// Loses it.
    case lose
    /// Loses it and all that follows of its connection, in both directions.
    case loseFromHere
    /// Loses it, and answers its sender with an error.
    case refuse(Refusal)
    /// Ends its connection by an RST to each end.
    case reset
    /// Ends its connection by a FIN to each end, and an RST for what they still send.
    case close
    /// Sends each end a FIN, and acknowledges what they still send.
    case halfClose
    /// Acknowledges it and what follows, with a window of zero, and delivers nothing.
    case stall
    /// Answers a DNS query in the server's name.
    case answer(DNSFaultAnswer)
    /// Holds a DNS query back for a time; the server's own answer comes so much later.
    case hold(Duration)
    /// Answers as a captive portal, with this address: HTTP on port 80 is redirected there, TLS on port 443 is reset.
    case portal(String)

    /// The message by which a packet's sender learns of a refusal.
    public enum Refusal: String, CaseIterable, Hashable, Sendable {
        /// By an RST, of TCP.
        case reset
        /// By ICMP: port unreachable.
        case port
        /// By ICMP: host unreachable; address unreachable of ICMPv6.
        case host
        /// By ICMP: network unreachable; no route to destination of ICMPv6.
        case net
        /// By ICMP: communication administratively prohibited.
        case prohibited
        /// By ICMP: fragmentation needed, or packet too big of ICMPv6, with the length that the match allows as the MTU.
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

    /// Whether it ends a connection by what it sends to both ends, which needs no packet of theirs.
    var endsConnection: Bool {
        switch self {
        case .reset, .close, .halfClose: true
        default: false
        }
    }

    /// The only protocol that it can happen to; nil for all.
    package var onlyProtocol: TransportProtocol? {
        switch self {
        case .reset, .close, .halfClose, .stall, .portal, .refuse(.reset): .tcp
        case .answer(.truncated): .udp
        default: nil
        }
    }

    /// Whether it happens to DNS queries only.
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
    /// The server does not want to answer.
    case refused
    /// The name has no such record.
    case empty
    /// The answer does not fit (TC): ask again by TCP.
    case truncated
    /// This address; queries for other types are answered as empty.
    case address(IPAddress)

    /// The answers that are words, as profiles write them.
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
