// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The verdict on one expectation, and the evidence for it.
public struct Judgement: Hashable, Sendable {
    /// The expectation that was judged.
    public var expectation: ClientExpectation
    /// Whether the client met the expectation.
    public var verdict: Verdict
    /// The observation, in one sentence without a full stop.
    public var finding: String
    /// The numbers of the packets that show the finding, as Wireshark counts them in the run's capture; the first 1000.
    public var packets: [Int]
    /// The usual remedy; nil unless the verdict is a failure.
    public var remedy: String?

    package init(
        _ expectation: ClientExpectation,
        _ verdict: Verdict,
        _ finding: String,
        packets: [Int],
        remedy: String?
    ) {
        (self.expectation, self.verdict, self.finding) = (expectation, verdict, finding)
        (self.packets, self.remedy) = (packets, remedy)
    }

    init(_ expectation: ClientExpectation, _ finding: ClientFinding, remedy: String) {
        self.expectation = expectation
        verdict = finding.verdict
        self.finding = finding.words
        packets = finding.packets
        self.remedy = finding.verdict == .fail ? finding.remedy ?? remedy : nil
    }
}

/// The result of one rule's search of the packets and the record.
struct ClientFinding: Hashable {
    var verdict: Verdict
    var words: String
    var packets: [Int] = []
    /// The maximum number of packets that a finding lists.
    private static let maximumPackets = 1000

    /// The time limit that was exceeded; nil if none was.
    var exceededLimit: ExceededLimit?
    /// Whether waiting for a CPU cannot explain the finding.
    var isCertain = false
    /// Whether the finding is a count, which includes traffic that was not kept.
    var isCount = false
    /// The time from which the finding was true; nil if it is not certain.
    var since: Instant?
    /// Whether nothing later in the run can change the finding.
    var isFinal = false
    /// The remedy for this finding; nil for the rule's usual remedy.
    var remedy: String?

    /// A time that exceeded its limit.
    struct ExceededLimit: Hashable {
        var start: Instant
        var end: Instant
        /// The time over the limit.
        var excess: Duration
    }

    init(_ verdict: Verdict, _ words: String, _ packets: [ObservedPacket] = []) {
        (self.verdict, self.words) = (verdict, words)
        // One packet may show several items, such as requests.
        var named: Set<Int> = []
        for packet in packets where named.count < Self.maximumPackets && named.insert(packet.number).inserted {
            self.packets.append(packet.number)
        }
    }

    /// A failure by an action of the client, which is certain: waiting for a CPU only delays a client, and causes no
    /// action.
    static func certain(_ words: String, _ packets: [ObservedPacket], since moment: Instant) -> ClientFinding {
        var finding = ClientFinding(.fail, words, packets)
        (finding.isCertain, finding.since) = (true, moment)
        return finding
    }

    /// A failure to do something in time.
    static func late(
        _ words: String,
        from start: Instant,
        to end: Instant,
        limit: Duration,
        _ packets: [ObservedPacket] = []
    ) -> ClientFinding {
        var finding = ClientFinding(.fail, words, packets)
        finding.exceededLimit = ExceededLimit(start: start, end: end, excess: end - start - limit)
        return finding
    }

    /// The finding on an expectation with several spans: the first final one, else the worst.
    static func decisive(of findings: [ClientFinding]) -> ClientFinding {
        findings.first { $0.isFinal } ?? .worst(of: findings)
    }

    /// The first finding with the worst verdict.
    static func worst(of findings: [ClientFinding]) -> ClientFinding {
        let worst = Verdict.worst(of: findings.map(\.verdict))
        return findings.first { $0.verdict == worst } ?? findings[0]
    }
}
