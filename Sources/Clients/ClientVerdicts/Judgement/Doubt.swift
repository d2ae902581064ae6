// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// The reason why a verdict cannot be given: the machine was busy, the link late, or something is missing that it rests
/// on.
///
/// The judge decides as if all had been seen, but for counts, which include what was not. This asks afterwards what
/// could have made the same packets although the client behaves otherwise, and says nothing more than that: a doubt
/// turns pass and fail into inconclusive, never one into the other. The first reason is the one that is told, so the
/// order is that of weight.
///
/// 1. Did a process of the network end or stop? Both verdicts are in doubt, since from then on nothing arrived that was
///    sent. Not if the finding is certain, or its limit was passed, before that; nor a pass that rests on nothing but
///    the command's end.
/// 2. A finding that is inconclusive, or was not looked at, says nothing that could be doubted.
/// 3. A pass says that nothing else happened, so it falls with anything that is missing, as far as it rests on that:
///    what there was no memory for, the record, the rest of a run that was ended early, a packet, a socket, a
///    connection whose first packet was damaged. It never falls with a busy machine: waiting makes a client slower, and
///    not better.
/// 4. A failure says that something was seen, or that it was not. What is missing matters only to the second kind:
///    1. without the event of a label, a time may seem longer than it was;
///    2. a record with gaps, for rules that need the whole of it; then packets that are missing, for rules that fail
///       because a packet was not there;
///    3. a run that was ended early, unless the failure is certain, or is a limit that was passed before.
/// 5. Traffic for which there was no memory puts a failure in doubt, too, unless the failure is certain, or is a count,
///    which includes that traffic.
/// 6. A limit of time that was missed by no more than processes waited for a processor, or than the link delivered a
///    packet too late: without that, the client may have kept it. Missed by more, it is a failure, however busy the
///    machine.
/// 7. What is certain stands: no wait explains it.
/// 8. Any other failure that rests on packets is in doubt if processes waited for a quarter of its time, and for 300 ms
///    at least: peers may not have been able to answer.
///
/// A finding is certain if nothing that was not seen can change it, such as a request that was seen twice.
/// `Rule.Grounds` says what a rule rests on, so that a gap in the sockets does not touch a verdict on DNS.
///
/// In a run that goes on, a failure is told only if it stands whatever comes (``isFinal(_:)``): not where what comes
/// later may explain it, and not before what is sampled of that time has arrived.
struct Doubt {
    /// The share of a time in which processes waited for a processor, from which on a failure is in doubt that is not
    /// about a limit of time.
    private static let busyShare = 0.25
    /// Shorter waits make no client try again: its limits are longer.
    private static let shortestDoubt = Duration.milliseconds(300)

    /// The time after which the last sample of a moment has come: a wait for a processor is recorded when it ends.
    private static let settling = Duration.seconds(1)

    private let traffic: ObservedTraffic
    private let record: RunRecord
    private let grounds: Rule.Grounds

    init(_ traffic: ObservedTraffic, _ record: RunRecord, _ grounds: Rule.Grounds) {
        (self.traffic, self.record, self.grounds) = (traffic, record, grounds)
    }

    /// The reason why a finding is in doubt; nil if it stands, or if it says nothing itself.
    func reason(against finding: ClientFinding, in span: Span) -> String? {
        if let reason = lostCarrier(against: finding, in: span) { return reason }
        switch finding.verdict {
        case .inconclusive, .skipped: return nil
        case .pass:
            return unkept(finding) ?? shortfall(.record) ?? endedEarly ?? gap(.packets) ?? socketGap
                ?? unseenConnection(in: span)
        case .fail:
            // An event that was not seen may be among the missing packets. Without a label's event, a time may seem
            // longer than it was.
            let isLabelUncertain = record.shortfall == .eventsMissing && span.label != nil
            if let reason = isLabelUncertain ? record.shortfall?.words : shortfall(.wholeRecord) { return reason }
            if let reason = gap(.absence) { return reason }
            // A count too high, or a time too late, before that point stays so.
            if !finding.isCertain, finding.late == nil, let endedEarly { return endedEarly }
        }
        if let reason = unkept(finding) { return reason }
        if let late = finding.late {
            let waited = waited(from: late.start, to: late.end)
            if waited > .zero, waited >= late.excess {
                return "processes waited \(waited.words) for a processor in that time"
            }
            let lateness = lateness(from: late.start, to: late.end)
            return lateness > .zero && lateness >= late.excess
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

    /// Whether a failure stands that is in no doubt, whatever comes later in a run that goes on. A time that is too
    /// long only gets longer, and the waits that could explain it do not grow faster than its excess.
    func isFinal(_ finding: ClientFinding) -> Bool {
        guard !grounds.contains(.hindsight) else { return false }
        if let late = finding.late {
            let (start, end) = (late.start, late.end)
            let unknown = record.end - end > Self.settling ? .zero : Self.settling
            return late.excess - max(waited(from: start, to: end), lateness(from: start, to: end)) > unknown
        }
        return finding.isCertain && finding.since.map { record.end - $0 > Self.settling } ?? false
    }

    /// The process of the network that carried nothing before the end of the span; nil if all carried packets, or if
    /// the finding rests on earlier ones.
    private func lostCarrier(against finding: ClientFinding, in span: Span) -> String? {
        // The end of a command's work is known whatever happened to the network.
        guard !(grounds.isEmpty && finding.verdict == .pass), [.pass, .fail].contains(finding.verdict) else {
            return nil
        }
        // The end of a silent process counts from its last answer.
        guard let lost = record.lostCarriers.min(by: { $0.time < $1.time }), lost.time < min(span.end, record.end)
        else { return nil }
        if finding.isCertain, let since = finding.since, since < lost.time { return nil }
        if let late = finding.late, late.end + (.zero - late.excess) < lost.time { return nil }
        let state = lost.state == .stopped ? "was stopped" : "ended"
        return "\(lost.role) \(state) \((lost.time - record.begin).words) after the start"
    }

    private func shortfall(_ ground: Rule.Grounds) -> String? {
        grounds.contains(ground) ? record.shortfall?.words : nil
    }

    /// The reason why memory ran out for something that the finding rests on; nil if all of it is known.
    private func unkept(_ finding: ClientFinding) -> String? {
        finding.isCount || finding.isCertain || !grounds.contains(.record) ? nil : traffic.unkept.words
    }

    /// The reason why it is not known what the command would have done; nil if it ended otherwise.
    private var endedEarly: String? {
        grounds.contains(.record) && record.outcome == .failedFast ? "the command was ended by --fail-fast" : nil
    }

    /// The packets that are missing in the capture; nil if none are.
    private func gap(_ ground: Rule.Grounds) -> String? {
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

    /// The sockets that are not known, or not since they connected; nil if all are.
    private var socketGap: String? {
        guard grounds.contains(.sockets) else { return nil }
        guard record.isComplete else { return "the record of the sockets ends early" }
        // A part begins after the observation: what is older is none of it.
        guard !record.beginsLater else { return nil }
        let older = Set(record.olderSockets.map(\.socket))
        let count = record.openAtEnd.count { older.contains($0.socket) }
        // Both sides of a connection inside the sandbox are listed.
        return count > 0 ? "\(counted(count, "open socket")) had connected before the observation began" : nil
    }

    /// A packet that may have opened a connection of which nothing else was seen; nil without one.
    private func unseenConnection(in span: Span) -> String? {
        guard grounds.contains(.allConnections), traffic.link.unplaced.openings.contains(where: { $0 < span.end })
        else { return nil }
        return "the link damaged packets that may have opened other connections"
    }

    fileprivate static func isBusy(_ waited: Duration, of length: Duration) -> Bool {
        waited >= shortestDoubt && waited / length >= busyShare
    }

    private func waited(from start: Instant, to end: Instant) -> Duration { record.waited(from: start, to: end) }

    /// The most that the link was late by.
    private func lateness(from start: Instant, to end: Instant) -> Duration {
        traffic.link.late.lazy.filter { $0.delivered >= start && $0.delivered <= end }.map(\.lateness).max() ?? .zero
    }
}

extension RunRecord {
    /// The time for which some process waited for a processor.
    fileprivate func waited(from start: Instant, to end: Instant) -> Duration {
        stalls.reduce(.zero) { sum, stall in
            let overlap = min(stall.end, end) - max(stall.begin, start)
            guard overlap > .zero, stall.end > stall.begin else { return sum }
            return sum + min(stall.waited, overlap)
        }
    }

    /// Whether processes waited so long for a processor that a limit of time for the whole run tells nothing of the
    /// client.
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
