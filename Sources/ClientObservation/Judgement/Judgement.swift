// SPDX-License-Identifier: Apache-2.0

/// The verdict on one expectation, and what it rests on.
public struct Judgement: Hashable, Sendable {
    /// What was expected.
    public var expectation: ClientExpectation
    /// Whether that was so.
    public var verdict: Verdict
    /// What was seen, in one sentence without a full stop.
    public var finding: String
    /// The numbers of the packets that show it, as Wireshark counts them in the run's capture; the first 1000.
    public var packets: [Int]
    /// What usually helps; nil if nothing failed.
    public var remedy: String?

    init(_ expectation: ClientExpectation, _ finding: Finding) {
        self.expectation = expectation
        verdict = finding.verdict
        self.finding = finding.words
        packets = finding.packets
        remedy = finding.verdict == .fail ? expectation.remedy : nil
    }
}

/// What one look at the packets and the record gave.
struct Finding: Hashable {
    var verdict: Verdict
    var words: String
    var packets: [Int] = []
    /// No more packets than this are named.
    private static let mostPackets = 1000

    /// By how much a limit was missed, and when the time began that counts for it; nil if it is not about time.
    var excess: (from: Instant, to: Instant, by: Duration)? {
        get { missed.map { ($0.from, $0.to, $0.by) } }
        set { missed = newValue.map { Missed(from: $0.from, to: $0.to, by: $0.by) } }
    }
    private var missed: Missed?

    private struct Missed: Hashable {
        var from: Instant
        var to: Instant
        var by: Duration
    }

    init(_ verdict: Verdict, _ words: String, _ packets: [ObservedPacket] = []) {
        (self.verdict, self.words) = (verdict, words)
        self.packets = packets.prefix(Self.mostPackets).map(\.number)
    }

    /// A failure to do something in time.
    static func late(
        _ words: String,
        from start: Instant,
        to end: Instant,
        limit: Duration,
        _ packets: [ObservedPacket] = []
    ) -> Finding {
        var finding = Finding(.fail, words, packets)
        finding.excess = (start, end, (end - start) - limit)
        return finding
    }
}

extension ClientExpectation {
    /// What usually helps a client that fails it.
    var remedy: String {
        switch kind {
        case .completes: "an overall time limit, and a limit for connecting and for each answer"
        case .exits: "the command's own messages say why"
        case .firstByte:
            "fewer round trips before the first answer: connections kept open, TLS 1.3, requests in parallel"
        case .timesOut: "a time limit for connecting and for waiting on an answer"
        case .closes: "cancelling the request, and closing its connection, where the user leaves"
        case .recovers: "a retry that begins when the network changes, or a cap on the time between attempts"
        case .atMost(_, .connections): "one pool of connections, and old ones closed before new ones are opened"
        case .atMost(_, .connectionAttempts): "more time between attempts after each failure, and an upper limit"
        case .atMost(_, .requests): "old requests cancelled, and equal ones joined, before new ones are sent"
        case .atMost(_, .dnsQueries): "a cache of names"
        case .atMost(_, .retransmissions), .atMost(_, .bytes): "less data: smaller answers, ranges, compression, caches"
        case .attemptsBackOff: "a time between attempts that doubles up to a cap, with a random part"
        case .leavesNoConnectionOpen: "ending the processes that it has started, and closing what they hold"
        case .sendsNoRequestTwice: "an Idempotency-Key, or asking the server before it is sent again"
        case .monitorAgrees: "reading the state of the network anew before reporting it"
        }
    }
}
