// SPDX-License-Identifier: Apache-2.0

/// The rule by which one expectation is judged.
struct Rule {
    /// The grounds of a verdict besides the end of the command: if one of them is incomplete, the verdict is in doubt.
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
        /// Later events, which may explain an observation: no failure is certain before the end.
        static let hindsight = Grounds(rawValue: 32)
        /// All connections of the client, for a pass.
        static let allConnections = Grounds(rawValue: 64)

        /// Those of a reaction in time, whose packets must all have been seen.
        static let reaction: Grounds = [.record, .packets, .wholeRecord, .absence]
    }

    let grounds: Grounds
    /// The usual remedy for a client that fails it.
    let remedy: String
    /// The time that an answer may take for it, and how long what comes with the answer is counted; nil if it is not about one.
    let answerLimit: Duration?
    /// Whether what was before a label, or comes after it, counts for it.
    let looksBeyond: Bool
    let find: (ClientJudge, Span) -> ClientFinding

    init(
        _ grounds: Grounds,
        _ remedy: String,
        answerLimit: Duration? = nil,
        looksBeyond: Bool = false,
        _ find: @escaping (ClientJudge, Span) -> ClientFinding
    ) {
        (self.grounds, self.remedy, self.looksBeyond, self.find) = (grounds, remedy, looksBeyond, find)
        self.answerLimit = answerLimit.map { max($0, ClientJudge.herdTime) }
    }
}
