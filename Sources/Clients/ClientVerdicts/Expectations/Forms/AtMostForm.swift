// SPDX-License-Identifier: Apache-2.0

/// At most a number of connections, requests, bytes or the like.
struct AtMostForm: ExpectationForm {
    static let phrase = "at most"
    static let examples = ClientExpectation.Countable.allCases.map(\.example)

    let limit: Int
    let what: ClientExpectation.Countable

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.count()
    }

    func text(_ ends: ExpectationEnds) -> String {
        "\(Self.phrase) \(limit) \(what.noun(for: limit))\(ends.to)\(ends.duringLabel)"
    }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        let grounds: ExpectationRule.Grounds =
            switch what {
            // An end that was not seen raises the count.
            case .connectionsAtATime: .reaction.union(.sockets)
            case .connections where ends.label != nil: .reaction.union(.sockets)
            case .connections: [.record, .packets, .sockets]
            default: [.record, .packets]
            }
        return ExpectationRule(grounds, what.remedy) { $0.count(of: what, atMost: limit, ends.peer, in: $1) }
    }
}

extension ClientExpectation.Countable {
    /// The noun after a number: "connection" after 1.
    func noun(for number: Int) -> String {
        guard number == 1 else { return rawValue }
        return switch self {
        case .dnsQueries: "DNS query"
        case .connectionsAtATime: "connection at a time"
        default: String(rawValue.dropLast())
        }
    }

    fileprivate var example: ExpectationExample {
        switch self {
        case .connections:
            ExpectationExample(
                "at most 3 connections",
                "no more connections in all, at the same time or one after the other"
            )
        case .connectionsAtATime:
            ExpectationExample("at most 2 connections at a time", "no more connections are open at the same time")
        case .connectionAttempts:
            ExpectationExample(
                "at most 6 connection attempts during 'in the lift'",
                "no more attempts; what the kernel sends again for one does not count"
            )
        case .requests:
            ExpectationExample("at most 3 requests", "no more requests of HTTP/1, HTTP/2 or gRPC")
        case .dnsQueries:
            ExpectationExample("at most 4 DNS queries", "no more DNS queries")
        case .retransmissions:
            ExpectationExample("at most 10 retransmissions", "no more packets that carry data again")
        case .bytes:
            ExpectationExample(
                "at most 500 kB to api.test:443",
                "no more bytes of IP packets, both ways; kB, MB and GB are decimal"
            )
        }
    }

    /// The usual remedy for a client with too many.
    fileprivate var remedy: String {
        switch self {
        case .connections: "one pool of connections, which are kept open and used again"
        case .connectionsAtATime: "a pool with a limit, and old connections closed before new ones are opened"
        case .connectionAttempts: "more time between attempts after each failure, and an upper limit"
        case .requests: "old requests cancelled, and equal ones joined, before new ones are sent"
        case .dnsQueries: "a cache of names"
        case .retransmissions, .bytes: "less data: smaller answers, ranges, compression, caches"
        }
    }
}
