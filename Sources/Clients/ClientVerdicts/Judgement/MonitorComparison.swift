// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `monitor agrees`: what a monitor said of its targets beside what the client's packets to them show.
struct MonitorComparison {
    /// Fewer packets without an answer may be chance on a link that loses some.
    private static let fewestUnanswered = 3

    private let record: RunRecord
    private let missing: Int
    private let parts: TrafficByTime

    init(_ judge: ClientJudge) {
        (record, missing) = (judge.record, judge.traffic.link.missing)
        parts = TrafficByTime(judge.traffic, judge.lives)
    }

    /// The first contradiction, or that there is none.
    var finding: ClientFinding {
        guard !record.monitorVerdicts.isEmpty else { return ClientFinding(.skipped, "--monitor was not given") }
        var compared: Set<String> = []
        var contradictions: [ClientFinding] = []
        for (verdict, end) in record.monitorSpans() {
            let span = Span(start: max(verdict.time, record.begin), end: min(end, record.end))
            guard let expectsAnswers = verdict.expectsAnswers, span.start <= span.end else { continue }
            let connections = parts.during(span.start...span.end).connections.filter {
                verdict.concerns($0, record.hosts)
            }
            guard !connections.isEmpty else { continue }
            compared.insert(verdict.target)
            let contradiction = expectsAnswers ? silence : answers
            if let found = contradiction(verdict, connections, span) { contradictions.append(found) }
        }
        if var first = contradictions.first {
            if contradictions.count > 1 { first.words += ", and \(contradictions.count - 1) more contradictions" }
            return first
        }
        guard !compared.isEmpty else {
            let targets = Set(record.monitorVerdicts.map(\.target)).sorted().joined(separator: ", ")
            return ClientFinding(.inconclusive, "the client sent nothing while the monitor had a verdict on \(targets)")
        }
        return ClientFinding(.pass, "no contradiction on \(compared.sorted().joined(separator: ", "))")
    }

    /// The target is called reachable, and what the client sends there gets no answer for too long.
    private func silence(_ verdict: RunRecord.MonitorVerdict, _ connections: [Connection], in span: Span)
        -> ClientFinding?
    {
        // The first packet may have waited for its answer since before the verdict.
        let run = longestRun(of: connections.flatMap(\.unanswered), until: connections.flatMap(\.answered), in: span)
        guard run.count >= Self.fewestUnanswered else { return nil }
        let words = "\(counted(run.count, "packet")) of the client\(owners(of: connections)) to it got no answer"
        guard var found = contradiction(verdict, run, words) else { return nil }
        guard missing > 0 else { return found }
        (found.verdict, found.late) = (.inconclusive, nil)
        found.words += "; but \(counted(missing, "packet")) could not be captured"
        return found
    }

    /// The target is called unreachable, and it answers the client for too long.
    private func answers(_ verdict: RunRecord.MonitorVerdict, _ connections: [Connection], in span: Span)
        -> ClientFinding?
    {
        let (answered, unanswered) = (connections.flatMap(\.answered), connections.flatMap(\.unanswered))
        // Answers far from each other say nothing of the time between them.
        let run = longestRun(of: answered, until: unanswered, in: span, gap: verdict.interval)
        let words = "\(counted(run.count, "answer")) came from it to the client\(owners(of: connections))"
        return contradiction(verdict, run, words)
    }

    /// A run of packets that lasts longer than a verdict may be out of date; nil for a shorter one.
    private func contradiction(_ verdict: RunRecord.MonitorVerdict, _ run: [Moment], _ words: String) -> ClientFinding?
    {
        guard let (start, end) = run.ends, end - start > verdict.tolerance else { return nil }
        return .late(
            "the monitor called \(verdict.target) \(verdict.words) for the \((end - start).words) in which \(words)",
            from: start,
            to: end,
            limit: verdict.tolerance,
            run.map(\.packet)
        )
    }

    private func owners(of connections: [Connection]) -> String {
        guard let (first, others) = connections.owners else { return "" }
        return others > 0 ? " (\(first) and \(others) more)" : " (\(first))"
    }

    /// The longest run of moments in the span that no end interrupts.
    ///
    /// - Parameter gap: the longest time between two of them.
    private func longestRun(
        of moments: [Moment],
        until ends: [Moment],
        in span: Span,
        gap: Duration? = nil
    ) -> [Moment] {
        let all = (moments.map { ($0, belongs: true) } + ends.map { ($0, belongs: false) })
            .filter { span.contains($0.0.time) }.sorted { $0.0.time < $1.0.time }
        var runs: [[Moment]] = [[]]
        for (moment, belongs) in all {
            if let gap, let last = runs[runs.count - 1].last, moment.time - last.time > gap { runs.append([]) }
            if belongs { runs[runs.count - 1].append(moment) } else { runs.append([]) }
        }
        return runs.filter { !$0.isEmpty }.max { $0.length < $1.length } ?? []
    }
}

/// A packet, at the time that counts.
private struct Moment {
    let time: Instant
    let packet: ObservedPacket
}

extension [Moment] {
    /// The first and the last time; nil without a moment.
    fileprivate var ends: (start: Instant, end: Instant)? {
        first.flatMap { first in last.map { (first.time, $0.time) } }
    }

    fileprivate var length: Duration { ends.map { $1 - $0 } ?? .zero }
}

extension Connection {
    /// Packets of the client to which the server's kernel owed an answer that did not come before the next: SYNs, and
    /// what was sent again. One SYN that is accepted is none.
    fileprivate var unanswered: [Moment] {
        var packets = retransmissions.filter { $0.side == .client && !$0.isOpening }.map(\.packet)
        if carrier == .tcp, accepted == nil || attempts.count > 1 { packets += attempts }
        return packets.map { Moment(time: $0.sent, packet: $0) }
    }

    /// Packets of the server that reached the client. A refusal is an answer of the host, but of no service.
    fileprivate var answered: [Moment] {
        ([accepted].compactMap { $0 } + answers).compactMap { packet in
            packet.delivered.map { Moment(time: $0, packet: packet) }
        }
    }
}

extension RunRecord.MonitorVerdict {
    /// Whether the client's own packets should have answers; nil if it says nothing of them: a portal's answers, for one,
    /// are answers.
    fileprivate var expectsAnswers: Bool? {
        if isReachable { return true }
        return ["unreachable", "limited", "waiting"].contains(status) ? false : nil
    }

    /// The longest time by which it may be out of date.
    fileprivate var tolerance: Duration { interval + bound }

    /// "unreachable (path.blackHole)"
    fileprivate var words: String { reason.map { "\(status) (\($0))" } ?? status }
}

extension RunRecord {
    /// The first verdict of each row that says the same of a target, and when another was given.
    fileprivate func monitorSpans() -> [(verdict: MonitorVerdict, end: Instant)] {
        var spans: [(verdict: MonitorVerdict, end: Instant)] = []
        var open: [String: Int] = [:]
        for verdict in monitorVerdicts {
            if let index = open[verdict.target] {
                guard spans[index].verdict.expectsAnswers != verdict.expectsAnswers else { continue }
                spans[index].end = verdict.time
            }
            open[verdict.target] = spans.count
            spans.append((verdict, .distantFuture))
        }
        return spans
    }
}
