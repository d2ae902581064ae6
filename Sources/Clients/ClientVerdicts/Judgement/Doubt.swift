// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// The reason why a verdict is in doubt: the machine was busy, the link late, or evidence for the verdict is missing.
///
/// The judge decides as if everything had been captured, except for counts, which include what was not. `Doubt` then
/// checks what could have caused the same packets although the client behaves otherwise. A doubt turns pass and fail
/// into inconclusive, never one into the other. Only the first reason is reported, so they are checked in the order of
/// weight.
///
/// 1. Did a process of the network end or stop? Both verdicts are in doubt, since from then on no packet arrived. Not
///    if the finding is certain, or its limit was passed, before that; nor a pass that depends on nothing but the
///    command's end.
/// 2. An inconclusive or skipped finding cannot be doubted.
/// 3. A pass states that nothing else happened, so missing evidence that it depends on makes it doubtful: traffic that
///    was not kept, the record, the rest of a run that was ended early, a packet, a socket, a connection whose first
///    packet was damaged. A busy machine never makes it doubtful: waiting makes a client slower, and not better.
/// 4. A failure states that something was seen, or that something was not. Missing evidence matters only to the second
///    kind:
///    1. without the event of a label, a period may seem longer than it was;
///    2. a record with gaps, for rules that need the whole of it; then missing packets, for rules that fail because a
///       packet was not there;
///    3. a run that was ended early, unless the failure is certain, or is a limit that was passed before.
/// 5. Traffic that was not kept for lack of memory puts a failure in doubt, too, unless the failure is certain, or is a
///    count, which includes that traffic.
/// 6. A time limit was exceeded by no more than processes waited for a CPU, or than the link delivered a packet too
///    late: without that delay, the client may have met the limit. If it was exceeded by more, the failure stands,
///    however busy the machine.
/// 7. A certain failure stands: no delay explains it.
/// 8. Any other failure that depends on packets is in doubt if processes waited for a CPU for a quarter of its period,
///    and for at least 300 ms: peers may not have been able to answer.
///
/// A finding is certain if no evidence that is missing can change it, such as a request that was seen twice.
/// `ExpectationRule.Grounds` lists the evidence that a rule depends on, so that missing sockets do not affect a verdict
/// on DNS.
///
/// In a run that continues, a failure is reported only if no later event can change it (``isFinal(_:)``): not if later
/// events may explain it, and not before the samples of its period have arrived.
struct Doubt {
    /// The share of a period that processes waited for a CPU, from which on a failure that is not about a time limit is
    /// in doubt.
    private static let busyShare = 0.25
    /// The shortest wait that causes a doubt: clients' timeouts are longer.
    static let shortestDoubtfulWait = Duration.milliseconds(300)

    /// The time after which all samples of a moment have arrived: a wait for a CPU is recorded when it ends.
    private static let settling = Duration.seconds(1)

    private let traffic: ObservedTraffic
    private let record: RunRecord
    private let grounds: ExpectationRule.Grounds

    init(_ traffic: ObservedTraffic, _ record: RunRecord, _ grounds: ExpectationRule.Grounds) {
        (self.traffic, self.record, self.grounds) = (traffic, record, grounds)
    }

    /// The reason why a finding is in doubt; nil if it stands, or is itself inconclusive or skipped.
    func reason(against finding: ClientFinding, in span: JudgedPeriod) -> String? {
        if let reason = lostForwarder(against: finding, in: span) { return reason }
        switch finding.verdict {
        case .inconclusive, .skipped: return nil
        case .pass:
            return unkept(finding) ?? shortfall(.record) ?? endedEarly ?? gap(.packets) ?? socketGap
                ?? unseenConnection(in: span)
        case .fail:
            // An event that seems absent may be among the missing packets. Without a label's event, a period may seem
            // longer than it was.
            let isLabelUncertain = record.shortfall == .eventsMissing && span.label != nil
            if let reason = isLabelUncertain ? record.shortfall?.words : shortfall(.wholeRecord) { return reason }
            if let reason = gap(.absence) { return reason }
            // A count that was too high, or a limit that was passed, before the early end remains a failure.
            if !finding.isCertain, finding.exceededLimit == nil, let endedEarly { return endedEarly }
        }
        if let reason = unkept(finding) { return reason }
        if let exceeded = finding.exceededLimit {
            let waited = waited(from: exceeded.start, to: exceeded.end)
            if waited > .zero, waited >= exceeded.excess {
                return "processes waited \(waited.words) for a processor in that time"
            }
            let lateness = lateness(from: exceeded.start, to: exceeded.end)
            return lateness > .zero && lateness >= exceeded.excess
                ? "the link delivered a packet \(lateness.words) too late" : nil
        }
        if finding.isCertain { return nil }
        let end = min(span.end, record.end)
        let length = end - span.start
        guard grounds.contains(.packets), length > .zero else { return nil }
        let waited = waited(from: span.start, to: end)
        guard Self.isBusy(waited, of: length) else { return nil }
        return "processes waited \(waited.words) of \(length.words) for a processor"
    }

    /// Whether a failure without a doubt stands whatever comes later in a run that continues. A time over its limit
    /// only gets longer, and the waits that could explain it do not grow faster than its excess.
    func isFinal(_ finding: ClientFinding) -> Bool {
        guard !grounds.contains(.hindsight) else { return false }
        if let exceeded = finding.exceededLimit {
            let (start, end) = (exceeded.start, exceeded.end)
            let unknown = record.end - end > Self.settling ? .zero : Self.settling
            return exceeded.excess - max(waited(from: start, to: end), lateness(from: start, to: end)) > unknown
        }
        return finding.isCertain && finding.since.map { record.end - $0 > Self.settling } ?? false
    }

    /// The process of the network that stopped carrying packets before the end of the span; nil if there is none, or if
    /// the finding depends only on earlier packets.
    private func lostForwarder(against finding: ClientFinding, in span: JudgedPeriod) -> String? {
        // The command's end is known, whatever happened to the network.
        guard !(grounds.isEmpty && finding.verdict == .pass), [.pass, .fail].contains(finding.verdict) else {
            return nil
        }
        // A process that ended silently counts as lost from its last sign of life.
        guard let lost = record.lostForwarders.min(by: { $0.time < $1.time }), lost.time < min(span.end, record.end)
        else { return nil }
        if finding.isCertain, let since = finding.since, since < lost.time { return nil }
        if let exceeded = finding.exceededLimit, exceeded.end + (.zero - exceeded.excess) < lost.time { return nil }
        let state = lost.state == .stopped ? "was stopped" : "ended"
        return "\(lost.role) \(state) \((lost.time - record.begin).words) after the start"
    }

    private func shortfall(_ ground: ExpectationRule.Grounds) -> String? {
        grounds.contains(ground) ? record.shortfall?.words : nil
    }

    /// The sentence on traffic that was not kept, if the finding depends on it; nil otherwise.
    private func unkept(_ finding: ClientFinding) -> String? {
        finding.isCount || finding.isCertain || !grounds.contains(.record) ? nil : traffic.unkept.words
    }

    /// The reason why the command's further behaviour is unknown: --fail-fast ended it; nil if it did not.
    private var endedEarly: String? {
        grounds.contains(.record) && record.outcome == .failedFast ? "the command was ended by --fail-fast" : nil
    }

    /// The sentence on packets that are missing in the capture; nil if none are.
    private func gap(_ ground: ExpectationRule.Grounds) -> String? {
        guard grounds.contains(ground) else { return nil }
        if traffic.link.missing > 0 {
            let reason = traffic.link.missingReason.map { ": \($0)" } ?? ""
            return "\(counted(traffic.link.missing, "packet")) could not be captured\(reason)"
        }
        if traffic.link.disordered > 0 {
            return "the capture has \(counted(traffic.link.disordered, "packet")) in the wrong order"
        }
        guard record.packetsOnTheLink > 0 else { return nil }
        return "\(counted(record.packetsOnTheLink, "packet")) had not left the link"
    }

    /// The sentence on sockets that are unknown, or older than the observation; nil if there are none.
    private var socketGap: String? {
        guard grounds.contains(.sockets) else { return nil }
        guard record.isComplete else { return "the record of the sockets ends early" }
        // A part starts after the observation, and older sockets do not belong to it.
        guard !record.beginsLater else { return nil }
        let older = Set(record.olderSockets.map(\.socket))
        let count = record.openAtEnd.count { older.contains($0.socket) }
        // `openAtEnd` has both sides of a connection inside the sandbox.
        return count > 0 ? "\(counted(count, "open socket")) had connected before the observation began" : nil
    }

    /// The sentence on damaged packets that may have opened connections of which nothing else was seen; nil without
    /// one.
    private func unseenConnection(in span: JudgedPeriod) -> String? {
        guard grounds.contains(.allConnections), traffic.link.unplaced.openings.contains(where: { $0 < span.end })
        else { return nil }
        return "the link damaged packets that may have opened other connections"
    }

    fileprivate static func isBusy(_ waited: Duration, of length: Duration) -> Bool {
        waited >= shortestDoubtfulWait && waited / length >= busyShare
    }

    private func waited(from start: Instant, to end: Instant) -> Duration { record.waited(from: start, to: end) }

    /// The greatest lateness of the link in a period.
    private func lateness(from start: Instant, to end: Instant) -> Duration {
        traffic.link.late.lazy.filter { $0.delivered >= start && $0.delivered <= end }.map(\.lateness).max() ?? .zero
    }
}

extension RunRecord {
    /// The time for which at least one process waited for a CPU in a period.
    func waited(from start: Instant, to end: Instant) -> Duration {
        stalls.reduce(.zero) { sum, stall in
            let overlap = min(stall.end, end) - max(stall.begin, start)
            guard overlap > .zero, stall.end > stall.begin else { return sum }
            return sum + min(stall.waited, overlap)
        }
    }

    /// Whether processes waited so long for a CPU that a time limit on the whole run shows nothing about the client.
    package var isBusy: Bool { end > begin && Doubt.isBusy(waited(from: begin, to: end), of: end - begin) }
}

extension RunRecord.Shortfall {
    fileprivate var words: String {
        switch self {
        case .eventsMissing: "the record of the run's events is not complete"
        case .interrupted: "the reading of the packets was interrupted"
        case .damaged: "the capture is damaged"
        case .captureChanged: "the capture is not what linkcond wrote: something else has changed the file"
        case .recordingEnded:
            "the capture has no end: what carries the packets was killed, or the disk had no room for it"
        case .recordingStopped(let reason): "not all could be recorded: \(reason)"
        }
    }
}
