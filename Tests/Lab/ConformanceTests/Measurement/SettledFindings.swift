// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit

/// The findings of several runs of one link.
///
/// One that passes in a run is settled, and so is one that fails in two. What the machine could have made of a right link is
/// neither: it is open until another run settles it.
struct SettledFindings {
    /// More runs settle nothing on a machine that is so busy.
    static let maximumRuns = 4
    /// ErrorBudget divides the chance of a false alarm by it.
    static let failures = 2
    /// Milliseconds that a machine which has the time wakes the probe late by on average; the lab's timers have steps of 10.
    private static let stillness = Kernel.isLab ? 5.0 : 1

    private struct Run: CustomStringConvertible {
        let finding: LinkFinding
        /// Whether a failure counts.
        let counts: Bool
        var description: String { "\(finding)\(counts ? "" : ", disturbed")" }
    }

    private var findings: [String: [Run]] = [:]

    /// Adds a run's; `lateness` is what the machine woke the probe late by on average, in milliseconds. Where it was not
    /// still, an engine that competes for a processor may be late by a few times as much: a failure leaves the figure open,
    /// unless it is a delay that exceeds even that.
    mutating func add(_ found: [LinkFinding], of direction: Direction, lateness: Double = 0) {
        for finding in found {
            let isLonger = finding.isDelay && finding.measured > finding.excusable.upperBound + 3 * lateness
            let run = Run(finding: finding, counts: lateness <= Self.stillness || isLonger)
            findings["\(direction) \(finding.aspect.rawValue)", default: []].append(run)
        }
    }

    /// Those that have failed as often as makes a link wrong, and never passed.
    var wrong: [String] { unsettled { $0 >= Self.failures } }

    /// Those that are not decided.
    var open: [String] { unsettled { $0 < Self.failures } }

    var isSettled: Bool { open.isEmpty }

    private func unsettled(_ isChosen: (_ failures: Int) -> Bool) -> [String] {
        findings.sorted { $0.key < $1.key }.compactMap { name, runs in
            let failures = runs.count { $0.finding.verdict == .fail && $0.counts }
            let isOpen = !runs.contains { $0.finding.verdict == .pass }
            return isOpen && isChosen(failures) ? "\(name): \(runs)" : nil
        }
    }
}

extension LinkFinding {
    /// Whether it is a time in milliseconds.
    fileprivate var isDelay: Bool {
        switch aspect {
        case .medianDelay, .longDelay, .tailDelay, .meanDelay, .longestDelay, .delayDifference: true
        default: false
        }
    }
}
