// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Judges a client by its packets and by the record of its run.
package struct ClientJudge {
    /// The client's traffic.
    private(set) var traffic: ObservedTraffic
    /// The record of the client's run.
    let record: RunRecord
    /// The lives of the client's connections.
    let lives: ConnectionLives
    /// Whether processes other than the part's had connections during the part.
    private let hasOthers: Bool

    /// Makes a judge of one run.
    package init(_ client: JudgedTraffic, _ record: RunRecord) {
        (traffic, hasOthers) = (client.traffic, client.hasOthers)
        self.record = record.withoutOthers
        lives = ConnectionLives(record, traffic.connections)
    }

    /// Judges whether the client met an expectation.
    package func judge(_ expectation: ClientExpectation) -> Judgement {
        var judgement = judgeKnown(expectation)
        if let changes = changes(in: spans(of: expectation.label)) { judgement.finding += "; \(changes)" }
        return judgement
    }

    /// Judges; the verdict is inconclusive if connections of unknown processes could change it.
    private func judgeKnown(_ expectation: ClientExpectation) -> Judgement {
        var judgement = judgeAll(expectation)
        // That another process merely exists does not undo a pass: an unknown connection is nearly always the part's.
        guard hasOthers || record.scope.hasOthers && judgement.verdict == .fail else { return judgement }
        let unknown = traffic.connections.count { $0.relation == .unknown && isOwn($0) }
        // The process that sent a DNS query is always unknown.
        let queries = traffic.nameQueries.count { $0.packet.sent >= record.begin }
        guard unknown + queries > 0 else { return judgement }
        var certain = self
        certain.traffic.connections.removeAll { $0.relation == .unknown }
        (certain.traffic.nameQueries, certain.traffic.nameMessages) = ([], [])
        guard certain.judgeAll(expectation).verdict != judgement.verdict else { return judgement }
        judgement.verdict = .inconclusive
        judgement.finding +=
            "; but other processes \(hasOthers ? "used the link" : "ran beside it"), and the process of "
            + (unknown > 0 ? counted(unknown, "connection") : "a DNS query") + " is not known"
        return judgement
    }

    private func judgeAll(_ expectation: ClientExpectation) -> Judgement {
        let (rule, spans) = (expectation.rule, spans(of: expectation.label))
        var finding =
            if spans.isEmpty {
                noLabel(expectation.label ?? "")
            } else if let peer = expectation.peer, let unseen = unseenPeer(peer, expectation.kind) {
                unseen
            } else {
                finding(by: rule, in: spans)
            }
        if record.goesOn, finding.verdict == .fail, !(finding.isFinal && isKnown(expectation.peer)) {
            finding.verdict = .inconclusive
            finding.words += "; that may still change"
        }
        return Judgement(expectation, finding, remedy: rule.remedy)
    }

    /// The finding on an expectation in all its spans: the decisive one of several.
    private func finding(by rule: ExpectationRule, in spans: [JudgedPeriod]) -> ClientFinding {
        guard spans.count > 1 else { return finding(by: rule, in: spans[0]) }
        guard !rule.looksBeyond else { return .decisive(of: spans.map { finding(by: rule, in: $0) }) }
        let parts = TrafficByTime(traffic, lives)
        let findings = spans.map { span in
            var judge = self
            judge.traffic = parts.during(span.start...max(span.end, span.start + (rule.answerLimit ?? .zero)))
            let finding = judge.finding(by: rule, in: span)
            // A late answer may come at any time: unless the finding is a pass, all traffic is searched.
            return rule.answerLimit == nil || finding.verdict == .pass ? finding : self.finding(by: rule, in: span)
        }
        return .decisive(of: findings)
    }

    private func finding(by rule: ExpectationRule, in span: JudgedPeriod) -> ClientFinding {
        var finding = rule.find(self, span)
        let doubt = Doubt(traffic, record, rule.grounds)
        if let reason = doubt.reason(against: finding, in: span) {
            finding.verdict = .inconclusive
            finding.words += "; but \(reason)"
        }
        finding.isFinal = finding.verdict == .fail && doubt.isFinal(finding)
        return finding
    }

    /// The spans of an expectation: one for each occurrence of its label; the whole run without a label.
    private func spans(of label: String?) -> [JudgedPeriod] {
        guard let label else { return [JudgedPeriod(start: record.begin, end: .distantFuture)] }
        return record.labels.filter { $0.name == label }.map {
            JudgedPeriod(start: $0.begin, end: $0.end, label: label)
        }
    }

    private func noLabel(_ label: String) -> ClientFinding {
        if let trigger = record.missedSteps[label] {
            return ClientFinding(.inconclusive, "'\(label)' never began: it waited for \(trigger)")
        }
        var words = "no step and no mark '\(label)' began"
        var known: Set<String> = []
        let names = record.labels.map(\.name).filter { known.insert($0).inserted }
        if !names.isEmpty { words += "; " + listed(names.map { "'\($0)'" }) + " did" }
        if let nearest = Spelling.nearest(to: label, among: names) { words += "; did you mean '\(nearest)'?" }
        return ClientFinding(.inconclusive, words)
    }

    /// The connections to `peer`.
    func connections(to peer: Peer?) -> [Connection] {
        guard let peer else { return traffic.connections }
        return traffic.connections.filter { peer.matches($0, record.hosts) }
    }
}

extension ClientJudge {
    /// Whether a connection belongs to the part: it was opened in the part, and not for several tests.
    func isOwn(_ connection: Connection) -> Bool {
        guard record.beginsLater else { return true }
        let scope = record.scope
        // A connection older than the observation has no first packet.
        guard let first = connection.attempts.first?.sent, first >= scope.since ?? record.begin else { return false }
        return !scope.shared.contains { $0.contains(first) }
    }
}

extension RunRecord {
    /// The record without sockets of processes that the part is not about.
    fileprivate var withoutOthers: RunRecord {
        guard scope.process != nil else { return self }
        var record = self
        record.openAtEnd.removeAll { scope.relation(to: $0.holder) == .other }
        return record
    }

    /// The end of the period in which the client's actions count.
    var countedEnd: Instant { min(scope.until ?? end, end) }
}

extension [Connection] {
    /// The first owner of one of the connections, and the number of other owners; nil if none is known.
    var owners: (first: String, others: Int)? {
        guard let first = lazy.compactMap(\.owners.first).first else { return nil }
        return (first, Set(lazy.flatMap(\.owners)).count - 1)
    }
}
