// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import LinkProfiles

/// The result of one run of a command, and all that is needed to repeat the run.
package struct RunReport: Hashable, Sendable {
    /// The context of a run.
    package struct Context: Hashable, Sendable {
        package var command: [String]
        package var profile: String?
        package var scenario: String?
        package var seed: UInt64
        /// The version of the random sequence: another version makes other decisions with the same seed.
        package var randomSequence: Int
        package var engine: String
        /// The congestion control of the uplink's far end; nil without an uplink.
        package var serverCongestion: String?
        /// The kernel's release.
        package var kernel: String
        /// The version of linkcond.
        package var version: String
        /// The command line that repeats the run with the same seed.
        package var repetition: [String]

        package init(
            command: [String],
            profile: String?,
            scenario: String?,
            seed: UInt64,
            randomSequence: Int = RandomSequence.version,
            engine: String,
            serverCongestion: String? = nil,
            kernel: String,
            version: String,
            repetition: [String]
        ) {
            (self.command, self.profile, self.scenario, self.seed) = (command, profile, scenario, seed)
            (self.randomSequence, self.serverCongestion) = (randomSequence, serverCongestion)
            (self.engine, self.kernel, self.version, self.repetition) = (engine, kernel, version, repetition)
        }
    }

    /// The verdict on one expectation.
    package typealias Result = JudgedExpectation

    /// The result of a part of the conditions.
    package struct ConditionsResult: Hashable, Sendable {
        package var part: ConditionsPart
        /// Pass if the part met a packet; else skipped, or inconclusive if the run is strict and the command line
        /// requested the part.
        package var verdict: Verdict

        package init(_ part: ConditionsPart, strict isStrict: Bool) {
            self.part = part
            verdict = part.reason == nil ? .pass : isStrict && !part.isRequestedInside ? .inconclusive : .skipped
        }
    }

    /// A change of the time of day; `begin` is by the clock before the change.
    package struct ClockChange: Hashable, Sendable {
        /// The time from the start of the command.
        package var time: Duration
        /// The change of the clock; negative if the clock was set back.
        package var change: Duration

        package init(time: Duration, change: Duration) { (self.time, self.change) = (time, change) }
    }

    package var context: Context
    package var outcome: CommandEnd
    /// The start, in nanoseconds since 1970.
    package var begin: Int64
    package var duration: Duration
    /// The verdicts, in the order of the expectations.
    package var results: [Result]
    package var totals: Totals
    /// The results of the parts of the conditions: faults, steps of schedules and scenarios, and changes.
    package var conditions: [ConditionsResult] = []
    /// The verdicts that the first tests inside the run received; they do not count for the run's verdict.
    package var tests: [TestVerdicts] = []
    /// The number of all tests inside the run.
    package var testCount = 0
    /// The changes of the time of day during the run.
    package var clockChanges: [ClockChange] = []
    /// The events of the run; nil in a report that was read back.
    package var timeline: RunTimeline?
    /// The servers and names that the command contacted; nil in a report that was read from a file.
    package var contacts: Contacts?
    /// Whether processes waited long for a CPU; nil in a report that was read from a file.
    package var isBusy: Bool?
    /// The command's output and its destinations; nil in a report that was read back.
    package var output: CommandOutput?

    package init(
        _ context: Context,
        _ outcome: CommandEnd,
        begin: Int64,
        duration: Duration,
        results: [Result],
        totals: Totals
    ) {
        (self.context, self.outcome, self.begin, self.duration) = (context, outcome, begin, duration)
        (self.results, self.totals) = (results, totals)
    }

    /// The verdict on the run, in each form of its report: the worst of the verdicts on the expectations, on the
    /// command, and on the parts of the conditions.
    package var verdict: Verdict {
        Verdict.worst(of: results.map(\.verdict) + [commandVerdict] + missed.map(\.verdict))
    }

    /// The parts of the conditions that met no packet.
    package var missed: [ConditionsResult] { conditions.filter { $0.verdict != .pass } }

    /// The verdict on the command's end: a pass if it exited with 0, or with an expected status.
    package var commandVerdict: Verdict {
        switch outcome {
        case .exited(0): return .pass
        case .failedFast: return .skipped
        case .exited(let status):
            let expected = ClientExpectation(.exits(with: status)).description
            return results.contains { $0.expectation == expected && $0.verdict == .pass } ? .pass : .fail
        case .killed, .timedOut, .notStarted: return .fail
        }
    }
}
