// SPDX-License-Identifier: Apache-2.0

/// Judges a client by its packets and by what happened around it.
package struct Judge {
    /// What the packets say of the client.
    private(set) var traffic: Traffic
    /// What happened around the client.
    let record: RunRecord
    /// When the client had each connection.
    let lives: ConnectionLives

    /// Makes a judge of one run.
    package init(_ traffic: Traffic, _ record: RunRecord) {
        (self.traffic, self.record) = (record.clientTraffic(of: traffic), record)
        lives = ConnectionLives(record)
    }

    /// Says whether the client did what was expected.
    package func judge(_ expectation: ClientExpectation) -> Judgement {
        let spans = spans(of: expectation)
        guard !spans.isEmpty else { return Judgement(expectation, noLabel(expectation.label ?? "")) }
        guard spans.count > 1 else { return Judgement(expectation, finding(on: expectation, in: spans[0])) }
        let parts = TrafficByTime(traffic, lives)
        let findings = spans.map { span in
            var judge = self
            let wait = expectation.kind.answerLimit
            judge.traffic = parts.during(span.begin...max(span.end, span.begin + (wait ?? .zero)))
            let finding = judge.finding(on: expectation, in: span)
            // An answer that is late may come at any time.
            return wait == nil || finding.verdict == .pass ? finding : self.finding(on: expectation, in: span)
        }
        let worst = Verdict.worst(of: findings.map(\.verdict))
        let finding = findings.first { $0.verdict == worst } ?? findings[0]
        return Judgement(expectation, finding)
    }

    private func finding(on expectation: ClientExpectation, in span: Span) -> Finding {
        doubted(find(expectation, in: span), expectation, in: span)
    }

    /// A time that an expectation is about.
    struct Span {
        var begin: Instant
        var end: Instant
        /// The label; nil for the whole run.
        var label: String?

        func contains(_ instant: Instant) -> Bool { instant >= begin && instant < end }

        /// " at 'label'", or nothing for the whole run.
        func named(_ word: String) -> String { label.map { " \(word) '\($0)'" } ?? "" }
    }

    /// Where an expectation applies: a label that was set several times, at each.
    private func spans(of expectation: ClientExpectation) -> [Span] {
        guard let label = expectation.label else { return [Span(begin: record.begin, end: .distantFuture)] }
        return record.labels.filter { $0.name == label }.map { Span(begin: $0.begin, end: $0.end, label: label) }
    }

    private func noLabel(_ label: String) -> Finding {
        if let cause = record.missedSteps[label] {
            return Finding(.inconclusive, "'\(label)' never began: it waited for \(cause)")
        }
        return Finding(.inconclusive, "no step and no mark '\(label)' began")
    }

    private func find(_ expectation: ClientExpectation, in span: Span) -> Finding {
        switch expectation.kind {
        case .completes(let limit): completion(within: limit)
        case .exits(let status): exit(with: status)
        case .firstByte(let limit): firstByte(within: limit, expectation.peer, in: span)
        case .recovers(let limit): recovery(within: limit, expectation.peer, in: span)
        case .timesOut(let limit): givingUp(within: limit, expectation.peer, in: span)
        case .closes(let limit): closing(within: limit, expectation.peer, in: span)
        case .atMost(let limit, let what): count(of: what, atMost: limit, expectation.peer, in: span)
        case .attemptsBackOff: backingOff(expectation.peer, in: span)
        case .leavesNoConnectionOpen: leftOpen()
        case .sendsNoRequestTwice: repeatedRequests(expectation.peer)
        case .monitorAgrees: monitorAgreement()
        }
    }

    /// The connections to `peer`.
    func connections(to peer: Peer?) -> [Connection] {
        guard let peer else { return traffic.connections }
        return traffic.connections.filter { peer.matches($0) }
    }

    /// The first process that held one of the connections, and the number of the others; nil if none is known.
    static func owners(of connections: [Connection]) -> (first: String, others: Int)? {
        guard let first = connections.lazy.compactMap(\.owners.first).first else { return nil }
        return (first, Set(connections.lazy.flatMap(\.owners)).count - 1)
    }
}

extension Instant {
    package static let distantFuture = Instant(nanoseconds: .max)
}
