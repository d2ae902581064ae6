// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

extension TrialsReport.Trial {
    /// The failures: the command's end, unless it exited by itself, and each expectation that failed. Without any, the
    /// reason why linkcond failed, or the first inconclusive expectation.
    package var findings: [String] {
        let failed = (report?.results ?? []).filter { $0.verdict == .fail }.map { "\($0.expectation): \($0.finding)" }
        let all = [report?.outcome.ending].compactMap { $0 } + failed
        return failure == nil && !all.isEmpty ? all : [finding].compactMap { $0 }
    }
}

extension CommandEnd {
    /// The command's end in words; nil if it exited by itself, or was ended because an expectation failed.
    var ending: String? {
        switch self {
        case .timedOut: "the command exceeded its time limit and was ended"
        case .killed(let signal): "signal \(signal) ended the command"
        case .notStarted: "the command could not be executed"
        case .exited, .failedFast: nil
        }
    }
}
