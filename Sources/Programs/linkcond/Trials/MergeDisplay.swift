// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// Shows the progress of a merge on standard error, if that is a terminal.
struct MergeDisplay {
    private var lines = LiveLines(on: STDERR_FILENO)

    mutating func draw(_ words: String) { write(lines.draw([OutputLine(heading: "merge", ": \(words)")])) }

    mutating func erase() { write(lines.erase()) }

    private func write(_ bytes: [UInt8]) {
        if TrialDisplay.isShown { _ = Descriptors.write(bytes[...], to: STDERR_FILENO) }
    }
}
