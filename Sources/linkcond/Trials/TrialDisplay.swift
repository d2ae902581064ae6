// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkProfiles
import LinuxSystem
import Reports

/// The progress of trials, on standard error if that is a terminal.
struct TrialDisplay {
    private var lines = LiveLines(on: STDERR_FILENO)
    private let isShown = Self.isShown

    /// Whether there is a terminal to show it on.
    static let isShown = isatty(STDERR_FILENO) == 1

    /// Draws what `content` gives.
    mutating func draw(_ content: () -> [OutputLine]) {
        guard isShown else { return }
        write(lines.draw(content()))
    }

    /// Takes everything away.
    mutating func erase() {
        guard isShown else { return }
        write(lines.erase())
    }

    private func write(_ bytes: [UInt8]) { _ = Descriptors.write(bytes[...], to: STDERR_FILENO) }

    /// A line for each trial.
    static func lines(
        _ trials: [Trial],
        _ states: [TrialRunner.State],
        heading: String = "PROFILE"
    ) -> [OutputLine] {
        var table = Table(header: [heading, "STATE", "TIME", "PROGRESS"])
        for (trial, state) in zip(trials, states) {
            switch state {
            case .waiting: table.add([trial.name, "waiting", "", ""])
            case .running(let start, let progress):
                table.add([trial.name, "running", rounded(start.duration(to: .now)).words, progress])
            case .ended(let result): table.add([trial.name, result.word, result.duration.words, ""])
            }
        }
        return table.lines()
    }

    private static func rounded(_ duration: Duration) -> Duration {
        .milliseconds(Int64(duration / .milliseconds(100)) * 100)
    }
}

extension TrialResult {
    /// What came out, in a word for tables.
    var word: String {
        guard let report else { return "error" }
        return report.results.isEmpty ? status == 0 ? "done" : "failed" : report.verdict.word
    }
}
