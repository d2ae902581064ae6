// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

extension TrialsReport.Trial {
    /// The failures: how the command ended, unless it did so by itself, and each expectation that failed. Without any,
    /// the reason why linkcond failed, or the first expectation without an answer.
    package var findings: [String] {
        let failed = (report?.results ?? []).filter { $0.verdict == .fail }.map { "\($0.expectation): \($0.finding)" }
        let all = [report?.outcome.ending].compactMap { $0 } + failed
        return failure == nil && !all.isEmpty ? all : [finding].compactMap { $0 }
    }
}

extension CommandEnd {
    /// The way in which the command ended; nil if it did so by itself, or for an expectation.
    var ending: String? {
        switch self {
        case .timedOut: "the command exceeded its time limit and was ended"
        case .killed(let signal): "signal \(signal) ended the command"
        case .notStarted: "the command could not be executed"
        case .exited, .failedFast: nil
        }
    }
}
