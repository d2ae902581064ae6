// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The verdict on one expectation, and what it rests on.
public struct Judgement: Hashable, Sendable {
    /// The expectation that was judged.
    public var expectation: ClientExpectation
    /// Whether that was so.
    public var verdict: Verdict
    /// The observation, in one sentence without a full stop.
    public var finding: String
    /// The numbers of the packets that show it, as Wireshark counts them in the run's capture; the first 1000.
    public var packets: [Int]
    /// The usual remedy; nil if nothing failed.
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

/// The result of one look at the packets and the record.
struct ClientFinding: Hashable {
    var verdict: Verdict
    var words: String
    var packets: [Int] = []
    /// At most this many packets are named.
    private static let maximumPackets = 1000

    /// The missed limit; nil if it is not about time.
    var late: Late?
    /// Whether waiting for a processor cannot explain it.
    var isCertain = false
    /// Whether it is of a number, in which all is counted that there was no memory for.
    var isCount = false
    /// Since when that has been so; nil if it is not certain.
    var since: Instant?
    /// Whether nothing that comes later in the run can change it.
    var isFinal = false
    /// The usual remedy in this case; nil for the rule's.
    var remedy: String?

    /// A time that was too long.
    struct Late: Hashable {
        var start: Instant
        var end: Instant
        /// The time over the limit.
        var excess: Duration
    }

    init(_ verdict: Verdict, _ words: String, _ packets: [ObservedPacket] = []) {
        (self.verdict, self.words) = (verdict, words)
        // One packet may show several things, such as requests.
        var named: Set<Int> = []
        for packet in packets where named.count < Self.maximumPackets && named.insert(packet.number).inserted {
            self.packets.append(packet.number)
        }
    }

    /// A failure by what the client did: waiting for a processor delays, and makes no client do more.
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
        finding.late = Late(start: start, end: end, excess: end - start - limit)
        return finding
    }

    /// The finding on an expectation about several times: one final failure is enough.
    static func decisive(of findings: [ClientFinding]) -> ClientFinding {
        findings.first { $0.isFinal } ?? .worst(of: findings)
    }

    /// The first failure of several; without one the first doubt, and so on.
    static func worst(of findings: [ClientFinding]) -> ClientFinding {
        let worst = Verdict.worst(of: findings.map(\.verdict))
        return findings.first { $0.verdict == worst } ?? findings[0]
    }
}
