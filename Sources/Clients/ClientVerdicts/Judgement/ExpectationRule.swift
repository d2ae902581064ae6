// SPDX-License-Identifier: Apache-2.0

/// The rule by which one expectation is judged.
struct ExpectationRule {
    /// The evidence for a verdict besides the command's end: if a part of it is incomplete, the verdict is in doubt.
    struct Grounds: OptionSet {
        let rawValue: Int

        /// The events of the run and its packets, for a pass.
        static let record = Grounds(rawValue: 1)
        /// All packets of the capture, and a machine that was not too busy to send or to answer them in time.
        static let packets = Grounds(rawValue: 2)
        /// The sockets of the client, for a pass.
        static let sockets = Grounds(rawValue: 4)
        /// The whole record, for a failure.
        static let wholeRecord = Grounds(rawValue: 8)
        /// All packets, for a failure that rests on a packet not having been seen.
        static let absence = Grounds(rawValue: 16)
        /// Later events, which may explain an observation: no failure is final before the run's end.
        static let hindsight = Grounds(rawValue: 32)
        /// All connections of the client, for a pass.
        static let allConnections = Grounds(rawValue: 64)

        /// The grounds of a reaction within a time, for which all packets must have been captured.
        static let reaction: Grounds = [.record, .packets, .wholeRecord, .absence]
    }

    let grounds: Grounds
    /// The usual remedy for a client that fails the expectation.
    let remedy: String
    /// The time limit for an answer, at least `herdTime`; nil if the rule is not about an answer.
    let answerLimit: Duration?
    /// Whether traffic before or after the label counts, too.
    let looksBeyond: Bool
    let find: (ClientJudge, JudgedPeriod) -> ClientFinding

    init(
        _ grounds: Grounds,
        _ remedy: String,
        answerLimit: Duration? = nil,
        looksBeyond: Bool = false,
        _ find: @escaping (ClientJudge, JudgedPeriod) -> ClientFinding
    ) {
        (self.grounds, self.remedy, self.looksBeyond, self.find) = (grounds, remedy, looksBeyond, find)
        self.answerLimit = answerLimit.map { max($0, ClientJudge.herdTime) }
    }
}
