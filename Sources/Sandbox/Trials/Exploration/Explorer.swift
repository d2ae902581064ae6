// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
package import Exploration
internal import LinkProfiles
package import Reports

/// Makes the runs of a search for a network under which a client fails.
package struct Explorer {
    package private(set) var search: TimelineSearch
    /// The reports of the runs that failed.
    package private(set) var evidence: [TimelineRun: TrialsReport.Trial] = [:]
    package private(set) var duration = Duration.zero
    /// Whether the budget ended before the search was done.
    package private(set) var isOutOfTime = false

    /// Whether a run also fails if its command does not exit with 0.
    private let checksStatus: Bool

    package init(_ search: TimelineSearch, checksStatus: Bool) {
        (self.search, self.checksStatus) = (search, checksStatus)
    }

    /// Makes the runs of the search.
    ///
    /// - Parameters:
    ///   - makeTrial: makes a trial from a run and the time that is left.
    ///   - observe: called several times a second.
    package mutating func run(
        _ runner: TrialRunner,
        jobs: Int,
        budget: Duration,
        makeTrial: (_ run: TimelineRun, _ left: Duration) throws -> Trial,
        observe: (Explorer) -> Void
    ) throws {
        let start = ContinuousClock.now
        while runner.interruption == nil {
            duration = start.duration(to: .now)
            let left = budget - duration
            guard left >= .milliseconds(100) else {
                isOutOfTime = search.stop == nil
                return search.end()
            }
            let runs = search.next(jobs)
            guard !runs.isEmpty else { return }
            let trials = try runs.map { try makeTrial($0, left) }
            let results = runner.run(trials) { _ in
                duration = start.duration(to: .now)
                observe(self)
            }
            let isOver = start.duration(to: .now) >= budget
            var ended: [(run: TimelineRun, outcome: TimelineRun.Outcome)] = []
            for (run, result) in zip(runs, results) {
                guard let result else { continue }
                if result.isUnusable { throw UnusableTrial(result: result) }
                // The run was ended by the budget, and not by its own time limit.
                if isOver, result.report?.outcome == .timedOut { continue }
                let outcome = result.timelineOutcome(checksStatus: checksStatus)
                if case .failed = outcome { evidence[run] = result }
                ended.append((run, outcome))
            }
            search.record(ended)
        }
        search.end()
    }

    /// The result of the first run that failed with this finding.
    package func failure(of finding: TimelineFinding) -> TrialsReport.Trial? {
        finding.attempts.lazy.compactMap { evidence[TimelineRun(finding.timeline, attempt: $0)] }.first
    }
}

extension ObservedClient {
    /// The client's behaviour in a run without disturbances.
    package init(_ report: RunReport, hasUplink: Bool) {
        let contacts = report.contacts ?? Contacts()
        self.init(
            servers: contacts.servers.map { server in
                let port = server.port < Self.firstFreePort ? server.port : nil
                // A fault applies to a port over IPv4 and IPv6, or to all ports.
                let same = contacts.servers.filter {
                    $0.transport == server.transport && (port == nil || $0.port == port)
                }
                return Server(
                    server.transport,
                    port: port,
                    usesIPv6: server.usesIPv6,
                    hasTLS: server.hasTLS,
                    payload: server.payload,
                    connections: same.reduce(0) { $0 + $1.connections }
                )
            },
            names: contacts.names,
            duration: report.duration,
            hasUplink: hasUplink
        )
    }
}

extension TrialsReport.Trial {
    /// The name of the check of the exit status.
    package static let exitCheck = "exits with 0"

    /// The outcome, for a search.
    ///
    /// - Parameter checksStatus: whether the command has to exit with 0. On a bad link, a correct client may give up
    ///   with an error: if there are expectations, they alone decide.
    package func timelineOutcome(checksStatus: Bool) -> TimelineRun.Outcome {
        guard let report else { return .failed([Self.exitCheck]) }
        var checks = Set(report.results.filter { $0.verdict == .fail }.map(\.expectation))
        if checksStatus, report.commandVerdict == .fail { checks.insert(Self.exitCheck) }
        // A time limit that was exceeded on a busy machine proves nothing.
        if checks == [Self.exitCheck], report.outcome == .timedOut, report.isBusy == true { return .inconclusive }
        if !checks.isEmpty { return .failed(checks) }
        return report.results.contains { $0.verdict == .inconclusive } ? .inconclusive : .passed
    }
}
