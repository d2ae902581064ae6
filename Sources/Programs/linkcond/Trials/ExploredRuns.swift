// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Exploration
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Sandboxing
import Trials

/// The runs that `explore` makes of one command.
struct ExploredRuns {
    let base: LoadedProfile
    let command: WrappedCommand
    let options: TrialOptions
    let expectations: [ClientExpectation]
    let failsFast: Bool
    let seed: UInt64
    let catalog: CatalogOptions
    /// The time limit of a run; nil until the usual duration is known.
    var timeout: Duration?

    /// What a command gets by default: so many times its usual duration, and this at least.
    private static let (patience, leastPatience) = (10, Duration.seconds(10))

    /// Sets the time limit by a run without anything wrong.
    mutating func setTimeout(usual: Duration) {
        timeout = timeout ?? max(usual * Self.patience, Self.leastPatience)
    }

    /// Those that a timeline can be held to: a step `restored` is not in each.
    private func expectations(isRestored: Bool) -> [ClientExpectation] {
        expectations.filter { isRestored || $0.label != Timeline.restored }
    }

    /// The run without anything wrong.
    func first(left: Duration) throws -> Trial {
        let conditions = try RunConditions(base.request(seed: nil))
        return try trial("without anything wrong", conditions, isRestored: false, attempt: 0, left: left)
    }

    func trial(_ run: TimelineRun, left: Duration, report: String? = nil, words: [String] = []) throws -> Trial {
        let text = Array(run.timeline.scenario(named: Self.name).json.text.utf8)
        let loaded = try LoadedScenario.received(utf8: text, catalog: catalog.catalog)
        return try trial(
            run.timeline.kinds.map(\.rawValue).joined(separator: ", "),
            try RunConditions(loaded) { try $0.request(seed: nil) },
            isRestored: run.timeline.isRestored,
            attempt: run.attempt,
            left: left,
            report: report,
            words: words
        )
    }

    private static let name = "Explored"

    private func trial(
        _ name: String,
        _ conditions: RunConditions,
        isRestored: Bool,
        attempt: Int,
        left: Duration,
        report: String? = nil,
        words: [String] = []
    ) throws -> Trial {
        var command = command
        command.timeout = timeout.map { min($0, left) } ?? left
        let plan = ObservedPlan(
            command,
            in: try options.uplink.sandbox(around: command, conditions, catalog),
            expecting: expectations(isRestored: isRestored),
            // The last run shows how the client goes on.
            failsFast: failsFast && report == nil,
            options: words,
            version: Linkcond.version
        )
        let slash = report?.lastIndex(of: "/")
        let parent = report.map { path in slash.map { String(path[..<$0]) } ?? "." }
        let own = report.map { path in slash.map { String(path[path.index(after: $0)...]) } ?? path }
        return Trial(name, plan, seed: seed(attempt), report: parent, directory: own ?? "")
    }

    func seed(_ attempt: Int) -> UInt64 { seed &+ UInt64(attempt) }

    /// The scenario of a timeline as it is written: with the expectations.
    func scenario(_ timeline: Timeline) -> JSON {
        let texts = expectations(isRestored: timeline.isRestored).map { JSON(.string("\($0)")) }
        var scenario = timeline.scenario(named: Self.name)
        scenario.summary = timeline.words.joined(separator: "; ")
        return texts.isEmpty ? scenario.json : scenario.json.replacing("expect", .list(texts))
    }

    /// What repeats a run, but for the seed and the command, as a user types it after `run`.
    func words(scenario file: String) -> [String] {
        let limit = options.timeout == nil ? timeout.map { ["--timeout", $0.limitText] } ?? [] : []
        return ["--scenario", file] + options.words + limit
    }

    /// The command line that repeats an attempt.
    func repetition(_ file: String, attempt: Int) -> [String] {
        ["linkcond", "run"] + words(scenario: file) + ["--seed", "\(seed(attempt))", "--"] + command.words
    }
}

extension Duration {
    /// Whole seconds, as `--timeout` takes them.
    fileprivate var limitText: String { "\(Int64((self / .seconds(1)).rounded(.up)))s" }
}
