// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Reports
import Sandboxing
import Trials

/// The progress of trials, on standard error if that is a terminal.
struct TrialDisplay {
    private var lines = LiveLines(on: STDERR_FILENO)

    /// Whether there is a terminal to show it on.
    static let isShown = isatty(STDERR_FILENO) == 1

    mutating func draw(_ content: () -> [OutputLine]) {
        if Self.isShown { write(lines.draw(content())) }
    }

    mutating func erase() { if Self.isShown { write(lines.erase()) } }

    private func write(_ bytes: [UInt8]) { _ = Descriptors.write(bytes[...], to: STDERR_FILENO) }

    static func lines(
        _ trials: [Trial],
        _ states: [TrialRunner.State],
        heading: String = "PROFILE"
    ) -> [OutputLine] {
        Table(header: [heading, "STATE", "TIME", "PROGRESS"], of: Array(zip(trials, states))) { trial, state in
            switch state {
            case .waiting: [trial.name, "waiting", "", ""]
            case .running(let start, let progress):
                [trial.name, "running", rounded(start.duration(to: .now)).words, progress]
            case .ended(let result): [trial.name, result.word, result.duration.words, ""]
            }
        }.lines()
    }

    /// Runs the trials with their progress on a terminal; a signal that arrives meanwhile ends this process.
    ///
    /// - Parameters:
    ///   - directory: that of the report; nil for none.
    ///   - lines: what a terminal shows.
    /// - Returns: what came out, and where to write it.
    static func run(
        _ trials: [Trial],
        _ title: String,
        _ pace: JobPace,
        _ directory: String?,
        lines: ([TrialRunner.State]) -> [OutputLine]
    ) throws -> (TrialsReport, ReportDirectory?) {
        let command = trials[0].plan.command
        let runner = try TrialRunner(pace)
        let directory = try directory.map { try ReportDirectory($0, for: command.account) }
        var display = TrialDisplay()
        let results = runner.run(trials) { states in display.draw { lines(states) } }
        display.erase()
        runner.dieIfInterrupted()
        let report = TrialsReport(
            title: title,
            command: command.words,
            repetition: CommandLine.arguments,
            version: Linkcond.version,
            trials: results.compactMap { $0 }
        )
        return (report, directory)
    }

    private static func rounded(_ duration: Duration) -> Duration {
        .milliseconds(Int64(duration / .milliseconds(100)) * 100)
    }
}

extension TrialsReport {
    func finish(_ directory: ReportDirectory?, strict: Bool) -> Never {
        let status = exitStatus(strict: strict)
        let isWritten = Failure.attempt { try directory?.write(self, strict: strict) }
        Glibc.exit(isWritten || status != 0 ? status : Linkcond.wrapperFailure)
    }
}
