// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkProfiles
import Reports
import SandboxClient
import Sandboxing

/// `judge --follow`: prints verdicts on a run that goes on, each when it changes.
///
/// A failure is final; a verdict that later packets may change is a pass, or inconclusive.
struct VerdictFollower {
    private let expectations: [ClientExpectation]
    private let json: Bool
    private var shown: [Verdict?]

    private var hasShown: Bool { shown.contains { $0 != nil } }

    /// The time between two looks, in microseconds; longer where a look takes long.
    private static let pause: UInt32 = 250_000
    private static let share = 4.0

    /// Prepares to print verdicts as text, or as lines of JSON.
    init(_ expectations: [ClientExpectation], json: Bool) {
        (self.expectations, self.json) = (expectations, json)
        shown = expectations.map { _ in nil }
    }

    /// Prints until the run ends, which ends this process as well unless another namespace has it.
    mutating func run(_ sandbox: ControlClient, from begin: JudgeRequest.Begin, _ scope: PartScope) throws {
        while true {
            let start = ContinuousClock.now
            do {
                show(try ObservedPart(live: sandbox, from: begin, scope).judge(expectations).judgements)
            } catch is ObservedPart.NoBegin {
                // The mark or the step is still to come.
            } catch let refusal as ControlClient.Refusal where refusal.kind == nil && hasShown {
                return
            }
            let time = start.duration(to: .now) / .microseconds(1)
            usleep(max(Self.pause, UInt32(clamping: Int(time * Self.share))))
        }
    }

    private mutating func show(_ judgements: [Judgement]) {
        for (index, judgement) in judgements.enumerated() where judgement.verdict != shown[index] {
            shown[index] = judgement.verdict
            let result = RunReport.Result(judgement)
            guard json else {
                for line in result.lines { Console.text(line) }
                continue
            }
            let members = result.json.members.map { ($0.name, Optional($0.value)) }
            Console.text(JSON(members: [("time", .number(Instant.now.nanoseconds))] + members).line)
        }
    }
}
