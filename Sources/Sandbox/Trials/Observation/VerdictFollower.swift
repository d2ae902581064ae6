// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import Glibc
package import SandboxClient

/// Follows the verdicts on a run that goes on.
///
/// A failure is final; a verdict that later packets may change is a pass, or inconclusive.
package struct VerdictFollower {
    private let expectations: [ClientExpectation]
    /// The latest verdict on each; nil before the first.
    private var latest: [Verdict?]

    private var hasVerdicts: Bool { latest.contains { $0 != nil } }

    /// The time between two requests for verdicts, in microseconds; longer if a request takes long.
    private static let pause: UInt32 = 250_000
    private static let share = 4.0

    package init(_ expectations: [ClientExpectation]) {
        self.expectations = expectations
        latest = expectations.map { _ in nil }
    }

    /// Follows until the run ends. That ends this process as well, unless it is outside of the run's namespaces.
    /// `observe` is called with each verdict that has changed.
    package mutating func run(
        _ sandbox: ControlClient,
        from begin: JudgeRequest.Begin,
        _ scope: PartScope,
        observe: (Judgement) -> Void
    ) throws {
        while true {
            let start = ContinuousClock.now
            do {
                for judgement in try changes(ObservedPart(live: sandbox, from: begin, scope)) { observe(judgement) }
            } catch is ObservedPart.NoBegin {
                // The mark or the step is still to come.
            } catch let refusal as ControlClient.Refusal where refusal.kind == nil && hasVerdicts {
                return
            }
            let time = start.duration(to: .now) / .microseconds(1)
            usleep(max(Self.pause, UInt32(clamping: Int(time * Self.share))))
        }
    }

    private mutating func changes(_ part: ObservedPart) throws -> [Judgement] {
        var changes: [Judgement] = []
        for (index, judgement) in try part.judge(expectations).judgements.enumerated()
        where judgement.verdict != latest[index] {
            latest[index] = judgement.verdict
            changes.append(judgement)
        }
        return changes
    }
}
