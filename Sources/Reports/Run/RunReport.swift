// SPDX-License-Identifier: Apache-2.0

public import ClientObservation

/// What came out of one run of a command: enough to read the verdict, and to repeat it.
public struct RunReport: Hashable, Sendable {
    /// How the run was made.
    public struct Setting: Hashable, Sendable {
        /// The command and its arguments.
        public var command: [String]
        /// The name of the profile; nil for none.
        public var profile: String?
        /// The name of the scenario; nil for none.
        public var scenario: String?
        /// The seed of the random sequences.
        public var seed: UInt64
        /// The engine that carried the packets.
        public var engine: String
        /// The kernel's release.
        public var kernel: String
        /// The version of linkcond.
        public var version: String
        /// The command line that repeats the run with the same seed.
        public var repetition: [String]

        /// Describes a run.
        public init(
            command: [String],
            profile: String?,
            scenario: String?,
            seed: UInt64,
            engine: String,
            kernel: String,
            version: String,
            repetition: [String]
        ) {
            (self.command, self.profile, self.scenario, self.seed) = (command, profile, scenario, seed)
            (self.engine, self.kernel, self.version, self.repetition) = (engine, kernel, version, repetition)
        }
    }

    /// The verdict on one expectation.
    public struct Result: Hashable, Sendable {
        /// The expectation, as text.
        public var expectation: String
        /// The verdict.
        public var verdict: Verdict
        /// What was seen.
        public var finding: String
        /// The packets that show it, as numbers in the capture.
        public var packets: [Int]
        /// What usually helps; nil if nothing failed.
        public var remedy: String?

        /// Describes a verdict.
        init(expectation: String, verdict: Verdict, finding: String, packets: [Int], remedy: String?) {
            (self.expectation, self.verdict, self.finding) = (expectation, verdict, finding)
            (self.packets, self.remedy) = (packets, remedy)
        }

        /// Takes over a judgement.
        public init(_ judgement: Judgement) {
            expectation = judgement.expectation.description
            (verdict, finding) = (judgement.verdict, judgement.finding)
            (packets, remedy) = (judgement.packets, judgement.remedy)
        }
    }

    /// What was counted on the wire.
    public struct Totals: Hashable, Sendable {
        /// Connections that the command began to open.
        public var connections = 0
        /// Those of them that were accepted.
        public var accepted = 0
        /// HTTP/1 requests in the clear.
        public var requests = 0
        /// DNS queries.
        public var nameQueries = 0
        /// Packets in which the client sent something again.
        public var retransmissions = 0
        /// All packets.
        public var packets = 0
        /// Those of them that the link dropped.
        public var dropped = 0
        /// Those of them that were on the link when the run ended.
        public var undelivered = 0
        /// Bytes of all packets.
        public var bytes = 0

        /// Counts nothing yet.
        public init() {}
    }

    /// How the run was made.
    public var setting: Setting
    /// How the command ended.
    public var outcome: CommandEnd
    /// When it was started, in nanoseconds since 1970.
    public var begin: Int64
    /// How long it took.
    public var duration: Duration
    /// The verdicts, in the order of the expectations.
    public var results: [Result]
    /// What was counted.
    public var totals: Totals
    /// What happened; nil in a report that was read back.
    package var timeline: RunTimeline?
    /// What the command printed, and where that went; nil in a report that was read back.
    package var output: CommandOutput?

    /// Describes what came out.
    public init(
        _ setting: Setting,
        _ outcome: CommandEnd,
        begin: Int64,
        duration: Duration,
        results: [Result],
        totals: Totals
    ) {
        (self.setting, self.outcome, self.begin, self.duration) = (setting, outcome, begin, duration)
        (self.results, self.totals) = (results, totals)
    }

    /// The verdict on all expectations together; `pass` without any.
    public var verdict: Verdict { Verdict.worst(of: results.map(\.verdict)) }
}
