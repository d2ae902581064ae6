// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles
internal import Reports
internal import SandboxClient
internal import Sandboxing

extension RunReading {
    /// The reason why a request is refused.
    struct Refusal: Error {
        let kind: ControlAPI.Refusal
        let message: String
    }

    /// Answers a client's request: with the output of `linkcond judge --json`, or with the kind and reason of a
    /// refusal.
    func answer(_ request: JudgeRequest, _ question: JudgeQuestion) -> JSON {
        do throws(Refusal) {
            let expectations = try Self.expectations(request.expectations)
            let (judge, begin) = try judge(request, question)
            let results = expectations.map { RunReport.Result(judge.judge($0)) }
            let verdicts = TestVerdicts(nil, from: begin, to: question.end, results)
            let members = verdicts.json.members.map { ($0.name, Optional($0.value)) }
            return JSON(members: [("verdict", verdicts.verdict.json)] + members)
        } catch {
            return JSON(("kind", .text(error.kind.rawValue)), ("error", .text(error.message)))
        }
    }

    /// The first of the expectations that can no longer be met, as far as is known; nil if all can.
    func failure(of expectations: [ClientExpectation], _ question: JudgeQuestion) -> ClientExpectation? {
        var (traffic, record) = result(question)
        record.goOn(after: question.known(traffic, record), traffic)
        let judge = ClientJudge(JudgedTraffic(traffic, of: record), record)
        return expectations.first { judge.judge($0).verdict == .fail }
    }

    private static func expectations(_ texts: [String]) throws(Refusal) -> [ClientExpectation] {
        var expectations: [ClientExpectation] = []
        for text in texts {
            do throws(UnreadableExpectation) {
                expectations.append(try ClientExpectation(parsing: text))
            } catch {
                throw Refusal(kind: .badExpectation, message: error.description)
            }
        }
        return expectations
    }

    private func judge(
        _ request: JudgeRequest,
        _ question: JudgeQuestion
    ) throws(Refusal) -> (judge: ClientJudge, begin: Instant) {
        var (traffic, record) = result(question)
        let begin: Instant
        switch request.begin {
        case .run: begin = record.begin
        case .time(let time): begin = time
        case .label(let name):
            guard let label = record.labels.last(where: { $0.name == name }) else {
                throw Refusal(kind: .unknownLabel, message: "no mark and no step '\(name)' began")
            }
            begin = label.begin
        }
        if let since = record.observedSince, begin < since {
            throw Refusal(kind: .observedLater, message: "the start of that was not observed")
        }
        record.limit(to: begin, question.end)
        record.scope = request.scope
        (record.scope.ancestors, record.scope.hasOthers) = (question.ancestors, question.hasOthers)
        if request.isLive {
            record.goOn(after: question.known(traffic, record), traffic)
        } else {
            record.openAtEnd = question.open
            // Packets that were seen before a captured one are in the capture, too: none from before the end is missing
            // if a later one is there.
            if question.held > 0, traffic.link.latest ?? question.end <= question.end {
                record.packetsOnTheLink = question.held
            }
        }
        return (ClientJudge(JudgedTraffic(traffic, of: record), record), begin)
    }
    /// The traffic and the record that were read of the time until the end of the request's part.
    private func result(_ question: JudgeQuestion) -> (traffic: ClientTraffic.ObservedTraffic, record: RunRecord) {
        var (traffic, record) = result(ended: question.end, outcome: .exited(0))
        if let problem = question.problem { record.shortfall = .recordingStopped(problem) }
        return (traffic, record)
    }
}

extension JudgeQuestion {
    /// The moment up to which all packets and events are known; the latest packet if the recording has stopped.
    fileprivate func known(_ traffic: ClientTraffic.ObservedTraffic, _ record: RunRecord) -> Instant {
        problem == nil ? known : min(known, traffic.link.latest ?? record.begin)
    }
}
