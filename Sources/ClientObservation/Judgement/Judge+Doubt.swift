// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Where a verdict cannot be given: the machine was busy, the link late, or packets are missing.
extension Judge {
    /// The share of a time in which processes waited for a processor, from which on counts are in doubt, too.
    private static let busyShare = 0.25
    /// Shorter waits make no client try again: its limits are longer.
    private static let shortestDoubt = Duration.milliseconds(300)

    /// The finding, or doubt in its place.
    func doubted(_ finding: Finding, _ expectation: ClientExpectation, in span: Span) -> Finding {
        switch finding.verdict {
        case .inconclusive, .skipped: return finding
        case .pass:
            if let shortfall = record.shortfall, expectation.needsRecord { return doubt(finding, shortfall.words) }
            if let gap, expectation.countsPackets { return doubt(finding, gap) }
            if let gap = socketGap, expectation.needsSockets { return doubt(finding, gap) }
            return finding
        case .fail:
            // What did not happen may be in what is missing. Without a label's event, a time may seem longer than it was.
            if let shortfall = record.shortfall,
                expectation.failsForWhatIsAbsent || expectation.kind == .monitorAgrees
                    || shortfall == .eventsMissing && expectation.label != nil
            {
                return doubt(finding, shortfall.words)
            }
            if let gap, expectation.failsForWhatIsAbsent { return doubt(finding, gap) }
        }
        if let excess = finding.excess {
            let waited = waited(from: excess.from, to: excess.to)
            if waited > .zero, waited >= excess.by {
                return doubt(finding, "processes waited \(waited.words) for a processor in that time")
            }
            let late = lateness(from: excess.from, to: excess.to)
            if late > .zero, late >= excess.by {
                return doubt(finding, "the link delivered a packet \(late.words) too late")
            }
            return finding
        }
        guard expectation.countsPackets else { return finding }
        let (begin, end) = (span.begin, min(span.end, record.end))
        let length = end - begin
        let waited = waited(from: begin, to: end)
        if length > .zero, waited >= Self.shortestDoubt, waited / length >= Self.busyShare {
            return doubt(finding, "processes waited \(waited.words) of \(length.words) for a processor")
        }
        return finding
    }

    /// Which packets are not in the capture; nil if all are.
    private var gap: String? {
        if traffic.link.missing > 0 { return "\(counted(traffic.link.missing, "packet")) could not be captured" }
        guard record.packetsOnTheLink > 0 else { return nil }
        return "\(counted(record.packetsOnTheLink, "packet")) had not left the link"
    }

    /// Which sockets are not known, or not since their begin; nil if all are.
    private var socketGap: String? {
        guard record.isComplete else { return "the record of the sockets ends early" }
        let older = Set(record.olderSockets.map { SocketEnds($0.client, $0.server) })
        let count = record.openAtEnd.count { older.contains(SocketEnds($0.client, $0.server)) }
        // Both sides of a connection inside of the sandbox are listed.
        return count > 0 ? "\(counted(count, "open socket")) had connected before the observation began" : nil
    }

    private func doubt(_ finding: Finding, _ reason: String) -> Finding {
        var doubted = Finding(.inconclusive, "\(finding.words); but \(reason)")
        doubted.packets = finding.packets
        return doubted
    }

    /// How long some process waited for a processor.
    private func waited(from begin: Instant, to end: Instant) -> Duration {
        record.stalls.reduce(.zero) { sum, stall in
            let overlap = min(stall.end, end) - max(stall.begin, begin)
            guard overlap > .zero, stall.end > stall.begin else { return sum }
            return sum + min(stall.waited, overlap)
        }
    }

    /// The most that the link was late by.
    private func lateness(from begin: Instant, to end: Instant) -> Duration {
        traffic.link.late.lazy.filter { $0.delivered >= begin && $0.delivered <= end }.map(\.lateness).max() ?? .zero
    }
}

extension RunRecord.Shortfall {
    fileprivate var words: String {
        switch self {
        case .eventsMissing: "the record of the run's events is not complete"
        case .interrupted: "the reading of the packets was interrupted"
        case .damaged: "the capture is damaged"
        }
    }
}

extension ClientExpectation {
    /// Whether more than the end of the command decides it.
    fileprivate var needsRecord: Bool {
        switch kind {
        case .completes, .exits: false
        default: true
        }
    }

    /// Whether packets decide it, so that it is in doubt if some are missing, or if the machine was busy.
    fileprivate var countsPackets: Bool {
        switch kind {
        case .completes, .exits, .leavesNoConnectionOpen, .monitorAgrees: false
        default: true
        }
    }

    /// Whether the sockets of the client decide it, too.
    fileprivate var needsSockets: Bool {
        switch kind {
        case .leavesNoConnectionOpen, .closes, .atMost(_, .connections): true
        default: false
        }
    }

    /// Whether a failure means that a packet was not seen, rather than that one was.
    fileprivate var failsForWhatIsAbsent: Bool {
        switch kind {
        case .firstByte, .recovers, .timesOut, .closes: true
        default: false
        }
    }
}
