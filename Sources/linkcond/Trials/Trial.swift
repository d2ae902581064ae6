// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinuxSystem
import Reports

/// One run of a command in a process of its own: a call of this program's `run`.
struct Trial {
    /// What it is called in tables.
    let name: String
    /// The options of `run`, without --report.
    let options: [String]
    /// The command and its arguments, as bytes.
    let command: [[UInt8]]
    /// The directory of its report and its log; nil to keep neither.
    var directory: String?
    /// Whether its progress is shown.
    var isWatched = false

    /// The arguments of the process, the program's name first.
    var arguments: [[UInt8]] {
        let report = directory.map { ["--report", $0] } ?? []
        let progress = isWatched ? ["--progress-descriptor", "\(TrialFiles.progressDescriptor)"] : []
        let files = ["--report-descriptor", "\(TrialFiles.reportDescriptor)"] + progress
        let words = ["linkcond", "run"] + files + options + report
        return (words + ["--"]).map { Array($0.utf8) } + command
    }
}

/// What came out of a trial.
struct TrialResult {
    /// The trial.
    let trial: Trial
    /// How its process ended.
    let end: ChildStatus
    /// How long it took, with making the sandbox and judging.
    let duration: Duration
    /// The report; nil if linkcond itself failed.
    let report: RunReport?
    /// The last lines of its output.
    let lastLines: [String]

    /// The command's exit status, 128 and its number for a signal; nil if linkcond itself failed.
    var status: CInt? {
        switch report?.outcome {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        case .timedOut: 124
        // `run` tells 126 from 127.
        case .notStarted: if case .exited(let status) = end { status } else { 126 }
        case nil: nil
        }
    }

    /// Why linkcond itself failed; nil if it did not.
    var failure: String? {
        guard report == nil else { return nil }
        if case .killed(let signal) = end { return "linkcond was killed by signal \(signal)" }
        let own = "linkcond: "
        let said = lastLines.last { $0.hasPrefix(own) && !$0.hasPrefix(own + "note: ") && !$0.hasPrefix(own + "try: ") }
        return said.map { String($0.dropFirst(own.count)) } ?? "linkcond wrote no report"
    }

    /// Whether the command succeeded, and did what was expected of it.
    var isSuccess: Bool { status == 0 && report?.verdict != .fail && report?.verdict != .inconclusive }
}
