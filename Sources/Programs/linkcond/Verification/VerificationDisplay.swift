// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkMeasuring
import LinkVerification
import LinuxSystem

/// Shows the progress of a measurement on standard error, if that is a terminal.
final class VerificationDisplay {
    private static let isShown = isatty(STDERR_FILENO) == 1
    private var lines = LiveLines(on: STDERR_FILENO)
    private let title: String
    private let length: Duration
    private let start = ContinuousClock.now

    init(_ title: String, _ phases: [ProbePhase]) {
        self.title = title
        length = phases.reduce(VerificationPlan.idle.duration) { $0 + $1.duration }
    }

    func draw() {
        let done = start.duration(to: .now)
        let words =
            done < length ? "\(done.wholeSeconds) of \(length.wholeSeconds)" : "\(done.wholeSeconds), nearly done"
        write(lines.draw([OutputLine(heading: title, ": \(words)")]))
    }

    func erase() { write(lines.erase()) }

    /// Makes a listener that shows the progress of consecutive measurements, each with the name of the profile.
    static func listener(for profile: String) -> MeasurementListener {
        var display: VerificationDisplay?
        return MeasurementListener(
            started: { phases, isAgain in
                display = VerificationDisplay(isAgain ? "\(profile), again" : profile, phases)
            },
            progress: isShown ? { display?.draw() } : nil,
            ended: {
                display?.erase()
                display = nil
            },
            note: { note in
                display?.erase()
                Console.failure("note: \(note.words(in: ""))")
            }
        )
    }

    private func write(_ bytes: [UInt8]) {
        if Self.isShown { _ = Descriptors.write(bytes[...], to: STDERR_FILENO) }
    }
}
