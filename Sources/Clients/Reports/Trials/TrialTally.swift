// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import LinkProfiles
package import Statistics

/// The counts of several runs, for tables and verdicts. Its size follows the networks, not the runs.
package struct TrialTally: Hashable, Sendable {
    /// The numbers of runs with each verdict.
    package struct Verdicts: Hashable, Sendable {
        package fileprivate(set) var (passed, failed, inconclusive, skipped) = (0, 0, 0, 0)

        var all: Int { passed + failed + inconclusive + skipped }

        fileprivate mutating func add(_ verdict: Verdict) {
            switch verdict {
            case .pass: passed += 1
            case .fail: failed += 1
            case .inconclusive: inconclusive += 1
            case .skipped: skipped += 1
            }
        }
    }

    /// The runs of one network.
    package struct Network: Hashable, Sendable {
        package let name: String
        package fileprivate(set) var runs = 0
        /// The runs whose command succeeded, and that met all expectations.
        package fileprivate(set) var survived = 0
        /// The runs whose command or expectations failed.
        package fileprivate(set) var failed = 0
        /// The runs whose command exited with 0.
        package fileprivate(set) var succeeded = 0
        /// The runs that linkcond could not make: they say nothing about the client.
        package fileprivate(set) var errors = 0
        /// The verdicts on each expectation.
        package fileprivate(set) var verdicts: [String: Verdicts] = [:]
        fileprivate var seconds: [Float] = []
        fileprivate var findingCounts: [String: Int] = [:]

        /// The runs with a result: neither inconclusive nor an error of linkcond.
        package var decided: Int { survived + failed }
        /// The share of the decided runs that the client survived.
        package var survival: WilsonInterval { WilsonInterval(survived, of: decided) }

        /// The median of the runs' durations; nil without runs.
        package var medianDuration: Duration? {
            guard !seconds.isEmpty else { return nil }
            return .seconds(Double(seconds.sorted()[seconds.count / 2]))
        }

        /// What failed or is inconclusive, the most frequent first.
        package var findings: [(title: String, count: Int)] {
            findingCounts.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.map { (title: $0.key, count: $0.value) }
        }

        fileprivate init(_ name: String) { self.name = name }

        fileprivate mutating func add(_ trial: TrialsReport.Trial) {
            runs += 1
            seconds.append(Float(trial.duration / .seconds(1)))
            guard let report = trial.report else { return errors += 1 }
            if trial.status == 0 { succeeded += 1 }
            if trial.isFailure { failed += 1 } else if trial.isSuccess { survived += 1 }
            for result in report.results { verdicts[result.expectation, default: Verdicts()].add(result.verdict) }
            for title in trial.foundTitles { findingCounts[title, default: 0] += 1 }
        }
    }

    /// The networks, in their order.
    package private(set) var networks: [Network]
    /// The expectations of all runs, each once, in order.
    package private(set) var expectations: [String] = []
    private var known: Set<String> = []
    /// The worst verdict of all runs.
    package private(set) var verdict = Verdict.pass
    /// The exit status of the first command that did not exit with 0.
    package private(set) var firstStatus: Int32?
    /// The findings of all runs, each once.
    private(set) var findings = FindingGroups()

    package var runs: Int { sum(\.runs) }
    package var survived: Int { sum(\.survived) }
    /// The runs that failed, for whatever reason.
    package var failed: Int { sum(\.failed) + errors }
    package var errors: Int { sum(\.errors) }
    package var undecided: Int { runs - survived - failed }

    /// Counts nothing yet.
    init(networks names: [String]) { networks = names.map { Network($0) } }

    /// Counts a run of the network with this number.
    mutating func add(_ trial: TrialsReport.Trial, network: Int) {
        networks[network].add(trial)
        let results = trial.report?.results ?? []
        for each in results where known.insert(each.expectation).inserted { expectations.append(each.expectation) }
        verdict = Verdict.worst(of: [verdict] + [trial.report?.verdict].compactMap { $0 })
        if let status = trial.status, status != 0 { firstStatus = firstStatus ?? status }
        findings.add(trial)
    }

    /// The number of runs that have a verdict on an expectation.
    func count(judging expectation: String) -> Int {
        networks.reduce(0) { $0 + ($1.verdicts[expectation]?.all ?? 0) }
    }

    private func sum(_ count: (Network) -> Int) -> Int { networks.reduce(0) { $0 + count($1) } }
}
