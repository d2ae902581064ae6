// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles
internal import SandboxClient

/// What a run was asked to do, for clients of the control socket.
struct RunIntent {
    /// The name of the first profile; nil without conditions.
    var profile: String?
    /// The seed; nil if each use of the conditions draws its own.
    var seed: UInt64?
    /// The words of the command.
    var command: [String] = []
    /// The options that repeat the run, without its conditions and its seed, as words of a command line.
    var repetition: [String] = []
    /// The expectations that the run's verdict depends on, as text.
    var expectations: [String] = []
}

extension ControlledSandbox {
    /// Answers with the run so far, on any thread: at once, or once the process that reads the packets has judged.
    func run(then respond: @escaping @Sendable (ControlAPI.Answer) -> Void) {
        let course = course
        let expectations = intent.expectations
        @Sendable func answer(_ judged: TestVerdicts?) {
            let verdicts = JSON.list(Self.verdicts(on: expectations, judged))
            respond(ControlAPI.Answer(body: JSON(members: course + [("verdicts", verdicts)])))
        }
        guard let relay, observation?.since != nil, !expectations.isEmpty else { return answer(nil) }
        var request = JudgeRequest(Array(expectations.prefix(JudgeRequest.maximumExpectations)))
        request.isLive = true
        relay.judge(request) { answer($0.status == 200 ? $0.body.flatMap { TestVerdicts(json: $0) } : nil) }
    }

    /// The members of the answer, but for the verdicts.
    private var course: [(String, JSON?)] {
        let history = events?.history ?? RunHistory()
        return [
            ("profile", .text(intent.profile)),
            ("seed", .number(intent.seed)),
            ("command", intent.command.json),
            ("repeat", intent.repetition.json),
            ("began", history.start?.seconds),
            ("now", Instant.now.seconds),
            ("ended", history.end?.seconds),
            ("off", .bool(conditions.isSuspended)),
            ("offSince", history.offSince?.seconds),
            ("scenario", .text(scenario?.runner?.name)),
            ("steps", .list(steps(history))),
            ("marks", .list(history.marks.suffix(RunHistory.limit).map(\.json))),
            ("conditions", .list(history.changes.suffix(RunHistory.limit).map(\.json))),
        ]
    }

    private func steps(_ history: RunHistory) -> [JSON] {
        (scenario?.runner?.states ?? []).map { step in
            let began = step.state == .next ? nil : history.steps[step.label]
            return JSON(
                ("label", .text(step.label)),
                ("profile", .text(step.profile)),
                ("after", .text(step.trigger)),
                ("at", began?.start.seconds),
                ("state", .text(step.state.rawValue)),
                ("failure", .text(began?.failure))
            )
        }
    }

    /// The verdicts while the run goes on: only a failure is final. What another verdict would be now is `soFar`.
    static func verdicts(on expectations: [String], _ judged: TestVerdicts?) -> [JSON] {
        expectations.enumerated().map { index, expectation in
            let result = judged.flatMap { index < $0.results.count ? $0.results[index] : nil }
            let isFinal = result?.verdict == .fail
            return JSON(
                ("expectation", .text(expectation)),
                ("verdict", .text(isFinal ? Verdict.fail.rawValue : "pending")),
                ("soFar", isFinal ? nil : .text(result?.verdict.rawValue)),
                ("finding", .text(result?.finding))
            )
        }
    }
}

extension RunHistory.Mark {
    fileprivate var json: JSON { JSON(("name", .text(name)), ("at", time.seconds)) }
}

extension RunHistory.Change {
    fileprivate var json: JSON { JSON(("profile", .text(profile)), ("at", time.seconds), ("by", .text(client))) }
}

extension Instant {
    /// The seconds since 1970, to the millisecond.
    var seconds: JSON { JSON(.number("\((Double(nanoseconds) / 1e6).rounded() / 1000)")) }
}
