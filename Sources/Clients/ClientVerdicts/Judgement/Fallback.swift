// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Judges whether and how soon a client tries a fallback if an attempt gets no answer: another address family, or
/// another transport.
struct Fallback {
    private let judge: ClientJudge
    private let limit: Duration
    /// The names of the path that may get no answer, and of the fallback: "IPv6", "IPv4".
    private let ways: (first: String, other: String)
    private let hosts: KnownHosts
    /// Attempts over the fallback, by the peer that they go to.
    private let byTarget: [Peer: [Connection]]
    /// Attempts over the fallback, by port, in the order of their start.
    private let byPort: [UInt16: [Connection]]
    /// The reason why a client could not use the fallback in time; nil if it could.
    private let obstacle: (Connection, KnownHosts, _ limit: Duration) -> String?

    init(
        _ judge: ClientJudge,
        over first: String,
        to other: String,
        _ others: [Connection],
        within limit: Duration,
        obstacle: @escaping (Connection, KnownHosts, Duration) -> String? = { _, _, _ in nil }
    ) {
        (self.judge, self.limit, ways, self.obstacle) = (judge, limit, (first, other), obstacle)
        let hosts = KnownHosts(judge)
        self.hosts = hosts
        let others = others.filter { $0.begin != nil }.sorted { $0.begin ?? .distantPast < $1.begin ?? .distantPast }
        byTarget = others.reduce(into: [:]) { found, connection in
            for target in hosts.targets(of: connection) { found[target, default: []].append(connection) }
        }
        byPort = Dictionary(grouping: others, by: \.server.port)
    }

    func finding(on attempts: [Connection]) -> ClientFinding {
        var findings: [ClientFinding] = []
        // The time until which further attempts at a host belong to the earlier attempt.
        var until: [Peer: Instant] = [:]
        for attempt in attempts.sorted(by: { $0.begin ?? .distantPast < $1.begin ?? .distantPast }) {
            guard let begin = attempt.begin else { continue }
            let key = hosts.mainTarget(of: attempt)
            if let end = until[key], begin <= end { continue }
            let use = use(instead: attempt, begin)
            if let reply = attempt.firstReply, reply <= min(begin + limit, use?.time ?? .distantFuture) { continue }
            until[key] = use?.time ?? begin + limit
            findings.append(verdict(on: attempt, begin, use))
        }
        guard !findings.isEmpty else {
            let words =
                attempts.isEmpty
                ? "no attempt over \(ways.first) was seen" : "each attempt over \(ways.first) got an answer"
            return ClientFinding(.inconclusive, words, attempts.compactMap(\.attempts.first))
        }
        return sum(findings)
    }

    /// A connection that replaces an attempt.
    private struct Use {
        let connection: Connection
        let time: Instant
        /// Whether the connection started before the attempt, and was in use at the attempt's start.
        let wasInUse: Bool
    }

    private func use(instead attempt: Connection, _ begin: Instant) -> Use? {
        var first: Use?
        for connection in hosts.targets(of: attempt).lazy.compactMap({ byTarget[$0] }).joined() {
            guard let start = connection.begin else { continue }
            if start < begin, wasUsed(connection, since: begin + (.zero - limit)) {
                return Use(connection: connection, time: begin, wasInUse: true)
            }
            guard start >= begin, start < first?.time ?? .distantFuture else { continue }
            first = Use(connection: connection, time: start, wasInUse: false)
        }
        return first
    }

    /// Whether the client had `connection` at some time since `moment`: it has just tried the fallback, perhaps in
    /// vain.
    private func wasUsed(_ connection: Connection, since moment: Instant) -> Bool {
        let last = [connection.attempts.last, connection.clientPackets.last].compactMap { $0?.sent }.max()
        return judge.lives.life(of: connection).map { $0.end >= moment } ?? (last ?? .distantPast >= moment)
    }

    /// Connections that start within the limit at the same port, and that may be to the same host, since the name of
    /// one is unknown.
    private func possible(instead attempt: Connection, _ begin: Instant) -> [Connection] {
        let hasName = !hosts.names(of: attempt).isEmpty
        return (byPort[attempt.server.port] ?? []).filter { connection in
            guard let start = connection.begin, start >= begin, start <= begin + limit else { return false }
            return !hasName || hosts.names(of: connection).isEmpty
        }
    }

    private func verdict(on attempt: Connection, _ begin: Instant, _ use: Use?) -> ClientFinding {
        let name = attempt.serverName ?? hosts.mainTarget(of: attempt).description
        let unanswered = "one over \(ways.first) that got no answer"
        if let use {
            let packets = [attempt.attempts.first, use.connection.attempts.first].compactMap { $0 }
            guard !use.wasInUse else {
                return ClientFinding(
                    .pass,
                    "\(ways.other) to \(name) was in use already, when \(unanswered) began",
                    packets
                )
            }
            let time = use.time - begin
            let words = "an attempt over \(ways.other) to \(name) began \(time.words) after \(unanswered)"
            if time <= limit { return ClientFinding(.pass, words, packets) }
            if let reason = obstacle(attempt, hosts, limit) ?? damage(begin, use.connection) {
                return ClientFinding(.inconclusive, "\(words); \(reason)", packets)
            }
            return .late(words, from: begin, to: use.time, limit: limit, packets)
        }
        let packets = [attempt.attempts.first].compactMap { $0 }
        let end = min(attempt.firstReply ?? .distantFuture, judge.record.end)
        let words = "no attempt over \(ways.other) to \(name) began in the \((end - begin).words) after \(unanswered)"
        let possible = possible(instead: attempt, begin)
        if let own = possible.first(where: { !Set($0.owners).isDisjoint(with: attempt.owners) }), let start = own.begin
        {
            let time = (start - begin).words
            let words =
                "\(attempt.owners[0]) began an attempt over \(ways.other) \(time) after \(unanswered); its name is not known"
            return ClientFinding(.pass, words, packets + [own.attempts.first].compactMap { $0 })
        }
        if let other = possible.first, let first = other.attempts.first {
            return ClientFinding(
                .inconclusive,
                "\(words), but one to \(other.peerName), whose name is not known",
                packets + [first]
            )
        }
        if end < begin + limit {
            return ClientFinding(.inconclusive, "the command ended \((end - begin).words) after \(unanswered)")
        }
        if let reason = obstacle(attempt, hosts, limit) ?? damage(begin, nil) {
            return ClientFinding(.inconclusive, "\(words); \(reason)", packets)
        }
        return .late(words, from: begin, to: end, limit: limit, packets)
    }

    /// A sentence that a damaged packet may have been an attempt within the limit; nil if there was no such packet.
    private func damage(_ begin: Instant, _ later: Connection?) -> String? {
        let deadline = begin + limit
        let begun = later?.mayHaveBegun.map { $0 >= begin && $0 <= deadline } ?? false
        guard begun || judge.traffic.link.unplaced.openings.contains(where: { $0 >= begin && $0 <= deadline }) else {
            return nil
        }
        return "the link damaged a packet that may have been one"
    }

    private func sum(_ findings: [ClientFinding]) -> ClientFinding {
        let failures = findings.filter { $0.verdict == .fail }
        if var worst = failures.max(by: { $0.exceededLimit?.excess ?? .zero < $1.exceededLimit?.excess ?? .zero }) {
            if failures.count > 1 { worst.words += ", and \(failures.count - 1) more were late" }
            return worst
        }
        if let doubt = findings.first(where: { $0.verdict == .inconclusive }) { return doubt }
        var pass = findings[0]
        if findings.count > 1 { pass.words += "; \(findings.count - 1) more were in time" }
        return pass
    }
}

extension Connection {
    /// The time at which the client sent its first packet.
    fileprivate var begin: Instant? { attempts.first?.sent }

    /// The time at which the server's first packet was delivered to the client; nil if none was.
    fileprivate var firstReply: Instant? {
        let refusals = endings.filter { $0.side == .server }.map(\.packet)
        return ([accepted, answers.first].compactMap { $0 } + refusals).compactMap(\.delivered).min()
    }
}
