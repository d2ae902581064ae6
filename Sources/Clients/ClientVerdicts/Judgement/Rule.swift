// SPDX-License-Identifier: Apache-2.0

/// How one expectation is judged.
struct Rule {
    /// What a verdict rests on besides the end of the command: where that falls short, the verdict is in doubt.
    struct Grounds: OptionSet {
        let rawValue: Int

        /// The events of the run and its packets, for a pass.
        static let record = Grounds(rawValue: 1)
        /// All packets of the capture, and a machine that was not too busy to send or to answer them in time.
        static let packets = Grounds(rawValue: 2)
        /// The sockets of the client, for a pass.
        static let sockets = Grounds(rawValue: 4)
        /// The whole record, for a failure.
        static let wholeRecord = Grounds(rawValue: 8)
        /// All packets, for a failure: it means that a packet was not seen, rather than that one was.
        static let absence = Grounds(rawValue: 16)
        /// What comes later, which may explain what was seen: no failure stands before the end.
        static let hindsight = Grounds(rawValue: 32)
        /// All connections of the client, for a pass.
        static let allConnections = Grounds(rawValue: 64)
    }

    let grounds: Grounds
    /// What usually helps a client that fails it.
    let remedy: String
    /// How long an answer may take for it, and how long what comes with the answer is counted; nil if it is not about one.
    let answerLimit: Duration?
    /// Whether what was before a label, or comes after it, counts for it.
    let looksBeyond: Bool
    let find: (Judge, Span) -> Finding

    init(
        _ grounds: Grounds,
        _ remedy: String,
        answerLimit: Duration? = nil,
        looksBeyond: Bool = false,
        _ find: @escaping (Judge, Span) -> Finding
    ) {
        (self.grounds, self.remedy, self.looksBeyond, self.find) = (grounds, remedy, looksBeyond, find)
        self.answerLimit = answerLimit.map { max($0, Judge.herdTime) }
    }
}

extension ClientExpectation {
    /// How it is judged.
    var rule: Rule {
        let (peer, label) = (peer, label)
        let reaction: Rule.Grounds = [.record, .packets, .wholeRecord, .absence]
        switch kind {
        case .completes(let limit):
            return Rule([], "an overall time limit, and a limit for connecting and for each answer") { judge, _ in
                judge.completion(within: limit)
            }
        case .exits(let status):
            return Rule([], "the command's own messages say why") { judge, _ in judge.exit(with: status) }
        case .firstByte(let limit):
            return Rule(
                label == nil ? reaction.union(.allConnections) : reaction,
                "fewer round trips before the first answer: connections kept open, TLS 1.3, requests in parallel",
                answerLimit: limit
            ) { $0.firstByte(within: limit, peer, in: $1) }
        case .recovers(let limit):
            let remedy = "a retry that begins when the network changes, or a cap on the time between attempts"
            return Rule(reaction, remedy, answerLimit: limit) { $0.recovery(within: limit, peer, in: $1) }
        case .timesOut(let limit):
            // Of a connection that was open at the end, nothing else tells.
            let grounds = reaction.union([.sockets, .allConnections])
            return Rule(grounds, "a time limit for connecting and for waiting on an answer") {
                $0.givingUp(within: limit, peer, in: $1)
            }
        case .closes(let limit):
            let remedy = "cancelling the request, and closing its connection, where the user leaves"
            return Rule(reaction.union([.sockets, .allConnections]), remedy) { $0.closing(within: limit, peer, in: $1) }
        case .atMost(let limit, let what):
            let grounds: Rule.Grounds =
                switch what {
                // An end that was not seen makes more of them.
                case .connectionsAtATime: [.record, .packets, .sockets, .wholeRecord, .absence]
                case .connections where label != nil: [.record, .packets, .sockets, .wholeRecord, .absence]
                case .connections: [.record, .packets, .sockets]
                default: [.record, .packets]
                }
            return Rule(grounds, what.remedy) { $0.count(of: what, atMost: limit, peer, in: $1) }
        case .attemptsBackOff:
            let remedy = "a time between attempts that doubles up to a cap, with a random part"
            return Rule([.record, .packets], remedy) { $0.backingOff(peer, in: $1) }
        case .leavesNoConnectionOpen:
            let remedy = "ending the processes that it has started, and closing what they hold"
            return Rule([.record, .sockets], remedy) { judge, _ in judge.leftOpen() }
        case .sendsNoRequestTwice:
            let remedy = "an Idempotency-Key, or asking the server before it is sent again"
            // An answer that was not seen makes a repetition.
            let grounds: Rule.Grounds = [.record, .packets, .wholeRecord, .absence, .hindsight]
            return Rule(grounds, remedy) { judge, _ in judge.repeatedRequests(peer) }
        case .usesIPv4(let limit):
            let remedy = "an attempt over IPv4 about 250 ms after one over IPv6 that has no answer (RFC 8305)"
            return Rule(reaction.union(.allConnections), remedy, looksBeyond: true) {
                $0.usingIPv4(within: limit, peer, in: $1)
            }
        case .fallsBackToTCP(let limit):
            let remedy = "an attempt over TCP beside or soon after that over UDP, since networks may lose all of UDP"
            return Rule(reaction.union(.allConnections), remedy, looksBeyond: true) {
                $0.fallingBackToTCP(within: limit, peer, in: $1)
            }
        case .migrates(let limit):
            let remedy = "QUIC with connection migration (RFC 9000, section 9), and a probe when the network changes"
            let grounds = reaction.union([.allConnections])
            return Rule(grounds, remedy, looksBeyond: true) { $0.migration(within: limit, peer, in: $1) }
        case .resumes:
            let remedy = "a Range from the bytes that are there, with If-Range and the ETag (RFC 9110, section 14)"
            let grounds: Rule.Grounds = [.record, .packets, .sockets, .wholeRecord, .absence, .hindsight]
            return Rule(grounds, remedy) { judge, _ in judge.resumption(peer) }
        case .asksDNSAgain(let limit):
            let remedy = "forgetting the answers of DNS when the network changes, and asking anew before connecting"
            return Rule(reaction, remedy, looksBeyond: true) { $0.askingAgain(within: limit, peer, in: $1) }
        case .sendsKeepAlives(let limit):
            let remedy =
                "keep-alives of TCP (TCP_KEEPIDLE, TCP_KEEPINTVL) or pings of the protocol, or closing what is idle"
            return Rule(reaction.union([.sockets, .allConnections]), remedy) { judge, _ in
                judge.keepingAlive(every: limit, peer)
            }
        case .monitorAgrees:
            let remedy = "reading the state of the network anew before reporting it"
            return Rule([.record, .wholeRecord, .hindsight], remedy) { judge, _ in MonitorComparison(judge).finding }
        }
    }
}

extension ClientExpectation.Countable {
    /// What usually helps a client with too many.
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
