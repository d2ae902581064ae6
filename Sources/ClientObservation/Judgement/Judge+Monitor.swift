// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// `monitor agrees`
extension Judge {
    /// Fewer packets without an answer may be chance on a link that loses some.
    private static let fewestUnanswered = 3

    func monitorAgreement() -> Finding {
        guard !record.monitorVerdicts.isEmpty else { return Finding(.skipped, "--monitor was not given") }
        var compared: Set<String> = []
        var contradictions: [Finding] = []
        let parts = TrafficByTime(traffic, lives)
        for (verdict, end) in record.monitorSpans() {
            let span = Span(begin: max(verdict.time, record.begin), end: min(end, record.end))
            guard let claim = verdict.claim, span.begin <= span.end else { continue }
            let connections = parts.during(span.begin...span.end).connections.filter(verdict.concerns)
            guard !connections.isEmpty else { continue }
            compared.insert(verdict.target)
            switch claim {
            case .reachable: if let found = silence(verdict, connections, in: span) { contradictions.append(found) }
            case .unreachable: if let found = answers(verdict, connections, in: span) { contradictions.append(found) }
            }
        }
        if var first = contradictions.first {
            if contradictions.count > 1 { first.words += ", and \(contradictions.count - 1) more contradictions" }
            return first
        }
        guard !compared.isEmpty else {
            let targets = Set(record.monitorVerdicts.map(\.target)).sorted().joined(separator: ", ")
            return Finding(.inconclusive, "the client sent nothing while the monitor had a verdict on \(targets)")
        }
        return Finding(.pass, "no contradiction on \(compared.sorted().joined(separator: ", "))")
    }

    /// The target is called reachable, and what the client sends there gets no answer for too long.
    private func silence(
        _ verdict: RunRecord.MonitorVerdict,
        _ connections: [Connection],
        in span: Span
    ) -> Finding? {
        // The first packet may have waited for its answer since before the verdict.
        guard
            let run = longestRun(
                of: connections.flatMap(\.unanswered),
                until: connections.flatMap(\.answered),
                in: span
            ),
            run.packets.count >= Self.fewestUnanswered, run.length > verdict.tolerance
        else { return nil }
        let words =
            "the monitor called \(verdict.target) \(verdict.words) for the \(run.length.words) in which "
            + "\(counted(run.packets.count, "packet")) of the client\(owners(of: connections)) to it got no answer"
        if traffic.link.missing > 0 {
            let missing = "\(counted(traffic.link.missing, "packet")) could not be captured"
            return Finding(.inconclusive, "\(words); but \(missing)", run.packets)
        }
        return .late(words, from: run.begin, to: run.end, limit: verdict.tolerance, run.packets)
    }

    /// The target is called unreachable, and it answers the client for too long.
    private func answers(
        _ verdict: RunRecord.MonitorVerdict,
        _ connections: [Connection],
        in span: Span
    ) -> Finding? {
        // Answers far from each other say nothing of the time between them.
        guard
            let run = longestRun(
                of: connections.flatMap(\.answered),
                until: connections.flatMap(\.unanswered),
                in: span,
                gap: verdict.interval
            ),
            run.length > verdict.tolerance
        else { return nil }
        let words =
            "the monitor called \(verdict.target) \(verdict.words) for the \(run.length.words) in which "
            + "\(counted(run.packets.count, "answer")) came from it to the client\(owners(of: connections))"
        return .late(words, from: run.begin, to: run.end, limit: verdict.tolerance, run.packets)
    }

    private func owners(of connections: [Connection]) -> String {
        guard let (first, others) = Self.owners(of: connections) else { return "" }
        return others > 0 ? " (\(first) and \(others) more)" : " (\(first))"
    }

    private typealias Moment = (time: Instant, packet: ObservedPacket)

    private struct Run {
        var begin: Instant
        var end: Instant
        var packets: [ObservedPacket]
        var length: Duration { end - begin }
    }

    /// The longest run of moments in the span that no end interrupts.
    ///
    /// - Parameter gap: the longest time between two of them.
    private func longestRun(of moments: [Moment], until ends: [Moment], in span: Span, gap: Duration? = nil) -> Run? {
        let all = (moments.map { (moment: $0, belongs: true) } + ends.map { (moment: $0, belongs: false) })
            .filter { span.contains($0.moment.time) }.sorted { $0.moment.time < $1.moment.time }
        let length = { (places: ClosedRange<Int>) in
            all[places.upperBound].moment.time - all[places.lowerBound].moment.time
        }
        var longest: ClosedRange<Int>?
        var first: Int?
        for place in all.indices {
            guard all[place].belongs else {
                first = nil
                continue
            }
            if let gap, first != nil, length(place - 1...place) > gap { first = nil }
            let run = (first ?? place)...place
            first = run.lowerBound
            if longest.map({ length(run) > length($0) }) ?? true { longest = run }
        }
        return longest.map { places in
            Run(
                begin: all[places.lowerBound].moment.time,
                end: all[places.upperBound].moment.time,
                packets: all[places].map(\.moment.packet)
            )
        }
    }
}

extension Connection {
    /// Packets of the client to which the server's kernel owed an answer that did not come before the next: SYNs, and
    /// what was sent again. One SYN that is accepted is none.
    fileprivate var unanswered: [(time: Instant, packet: ObservedPacket)] {
        var packets = retransmissions.filter { $0.side == .client && !$0.isOpening }.map(\.packet)
        if carrier == .tcp, accepted == nil || attempts.count > 1 { packets += attempts }
        return packets.map { ($0.sent, $0) }
    }

    /// Packets of the server that reached the client. A refusal is an answer of the host, but of no service.
    fileprivate var answered: [(time: Instant, packet: ObservedPacket)] {
        ([accepted].compactMap { $0 } + answers).compactMap { packet in packet.delivered.map { ($0, packet) } }
    }
}

extension RunRecord.MonitorVerdict {
    fileprivate enum Claim {
        case reachable
        case unreachable
    }

    /// What it says of the client's own packets; nil for nothing: a portal's answers, for one, are answers.
    fileprivate var claim: Claim? {
        if isReachable { return .reachable }
        return ["unreachable", "limited", "waiting"].contains(status) ? .unreachable : nil
    }

    /// How long it may be out of date.
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
            if let place = open[verdict.target] {
                guard spans[place].verdict.claim != verdict.claim else { continue }
                spans[place].end = verdict.time
            }
            open[verdict.target] = spans.count
            spans.append((verdict, .distantFuture))
        }
        return spans
    }
}
