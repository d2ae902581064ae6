// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Reports
import Trials

/// Shows the progress of trials on standard error, if that is a terminal.
struct TrialDisplay {
    private var lines = LiveLines(on: STDERR_FILENO)

    /// Whether standard error is a terminal.
    static let isShown = isatty(STDERR_FILENO) == 1

    mutating func draw(_ content: () -> [OutputLine]) {
        if Self.isShown { write(lines.draw(content())) }
    }

    mutating func erase() { if Self.isShown { write(lines.erase()) } }

    private func write(_ bytes: [UInt8]) { _ = Descriptors.write(bytes[...], to: STDERR_FILENO) }

    static func lines(_ trials: [Trial], _ states: [TrialRunner.State]) -> [OutputLine] {
        Table(header: ["RUN", "STATE", "TIME", "PROGRESS"], of: Array(zip(trials, states))) { trial, state in
            switch state {
            case .waiting: [trial.name, "waiting", "", ""]
            case .running(let start, let progress):
                [trial.name, "running", rounded(start.duration(to: .now)).words, progress]
            case .ended(let result): [trial.name, result.word, result.duration.words, ""]
            }
        }.lines()
    }

    private static func rounded(_ duration: Duration) -> Duration {
        .milliseconds(Int64(duration / .milliseconds(100)) * 100)
    }
}
