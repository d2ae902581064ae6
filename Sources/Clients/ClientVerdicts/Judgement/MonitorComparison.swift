// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `monitor agrees`: compares a monitor's verdicts on its targets with the client's packets to them.
struct MonitorComparison {
    /// The number of unanswered packets from which on they are no chance on a lossy link.
    private static let fewestUnanswered = 3

    private let record: RunRecord
    private let missing: Int
    private let parts: TrafficByTime

    init(_ judge: ClientJudge) {
        (record, missing) = (judge.record, judge.traffic.link.missing)
        parts = TrafficByTime(judge.traffic, judge.lives)
    }

    /// The finding: the first contradiction, or a pass if there is none.
    var finding: ClientFinding {
        guard !record.monitorVerdicts.isEmpty else { return ClientFinding(.skipped, "--monitor was not given") }
        var compared: Set<String> = []
        var contradictions: [ClientFinding] = []
        for (verdict, end) in record.monitorSpans() {
            let span = JudgedPeriod(start: max(verdict.time, record.begin), end: min(end, record.end))
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

    /// A contradiction if the monitor calls the target reachable, but the client's packets to it get no answer for too
    /// long.
    private func silence(_ verdict: RunRecord.MonitorVerdict, _ connections: [Connection], in span: JudgedPeriod)
        -> ClientFinding?
    {
        // The first packet may have been sent before the verdict.
        let run = longestRun(of: connections.flatMap(\.unanswered), until: connections.flatMap(\.answered), in: span)
        guard run.count >= Self.fewestUnanswered else { return nil }
        let words = "\(counted(run.count, "packet")) of the client\(owners(of: connections)) to it got no answer"
        guard var found = contradiction(verdict, run, words) else { return nil }
        guard missing > 0 else { return found }
        (found.verdict, found.exceededLimit) = (.inconclusive, nil)
        found.words += "; but \(counted(missing, "packet")) could not be captured"
        return found
    }

    /// A contradiction if the monitor calls the target unreachable, but it answers the client for too long.
    private func answers(_ verdict: RunRecord.MonitorVerdict, _ connections: [Connection], in span: JudgedPeriod)
        -> ClientFinding?
    {
        let (answered, unanswered) = (connections.flatMap(\.answered), connections.flatMap(\.unanswered))
        // Answers that are far apart show nothing about the time between them.
        let run = longestRun(of: answered, until: unanswered, in: span, gap: verdict.interval)
        let words = "\(counted(run.count, "answer")) came from it to the client\(owners(of: connections))"
        return contradiction(verdict, run, words)
    }

    /// The finding on a run of packets that lasts longer than a verdict may be outdated; nil for a shorter run.
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

    /// The longest run of `moments` in the span that none of `ends` interrupts.
    ///
    /// - Parameter gap: the longest time between two moments of a run; nil for any.
    private func longestRun(
        of moments: [Moment],
        until ends: [Moment],
        in span: JudgedPeriod,
        gap: Duration? = nil
    ) -> [Moment] {
        let all = (moments.map { ($0, belongs: true) } + ends.map { ($0, belongs: false) })
            .filter { span.contains($0.0.time) }.sorted { $0.0.time < $1.0.time }
        var runs: [[Moment]] = [[]]
        for (moment, belongs) in all {
            if let gap, let last = runs[runs.count - 1].last, moment.time - last.time > gap { runs.append([]) }
            if belongs { runs[runs.count - 1].append(moment) } else { runs.append([]) }
        }
        return runs.filter { !$0.isEmpty }.max { $0.duration < $1.duration } ?? []
    }
}

/// A packet, at its sending or delivery time.
private struct Moment {
    let time: Instant
    let packet: ObservedPacket
}

extension [Moment] {
    /// The first and the last time; nil without a moment.
    fileprivate var ends: (start: Instant, end: Instant)? {
        first.flatMap { first in last.map { (first.time, $0.time) } }
    }

    /// The time from the first moment to the last.
    fileprivate var duration: Duration { ends.map { $1 - $0 } ?? .zero }
}

extension Connection {
    /// Packets of the client that the server's kernel did not answer in time: SYNs, and retransmitted data. A single
    /// SYN that was accepted is not one.
    fileprivate var unanswered: [Moment] {
        var packets = retransmissions.filter { $0.side == .client && !$0.isOpening }.map(\.packet)
        if carrier == .tcp, accepted == nil || attempts.count > 1 { packets += attempts }
        return packets.map { Moment(time: $0.sent, packet: $0) }
    }

    /// Packets of the server that reached the client. A refusal (RST) does not count: the host answers, but not the
    /// service.
    fileprivate var answered: [Moment] {
        ([accepted].compactMap { $0 } + answers).compactMap { packet in
            packet.delivered.map { Moment(time: $0, packet: packet) }
        }
    }
}

extension RunRecord.MonitorVerdict {
    /// Whether the client's packets should be answered; nil if the verdict does not say: a captive portal answers, too.
    fileprivate var expectsAnswers: Bool? {
        if isReachable { return true }
        return ["unreachable", "limited", "waiting"].contains(status) ? false : nil
    }

    /// The longest time for which the verdict may be outdated.
    fileprivate var tolerance: Duration { interval + bound }

    /// "unreachable (path.blackHole)"
    fileprivate var words: String { reason.map { "\(status) (\($0))" } ?? status }
}

extension RunRecord {
    /// The first of each series of equal verdicts on a target, and the time of the next different one.
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
