// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import Exploration
package import LinkConditioning
package import LinkProfiles
package import ProfileCatalog
package import Sandboxing

/// The runs that `explore` makes of one command.
package struct ExploredRuns {
    private let base: LoadedProfile
    package let command: WrappedCommand
    /// The private network, without conditions.
    private let sandbox: Sandbox
    private let catalog: Catalog
    private let expectations: [ClientExpectation]
    private let failsFast: Bool
    private let seed: UInt64
    /// The options of each run, without the seed, as a user types them.
    private let options: [String]
    private let version: String
    private let makeRequest: (LoadedProfile) throws -> RuleRequest
    /// The time limit of a run; nil until the usual duration is known.
    private var timeout: Duration?
    /// Whether the user chose the time limit, so that `options` already has it.
    private let hasChosenTimeout: Bool

    /// The default time limit of a run: the usual duration times the factor, but no less than the minimum.
    private static let (timeoutFactor, minimumTimeout) = (10, Duration.seconds(10))

    /// - Parameters:
    ///   - base: the profile of a network in which nothing goes wrong.
    ///   - makeRequest: makes a request from a profile, without a seed.
    package init(
        of command: WrappedCommand,
        in sandbox: Sandbox,
        base: LoadedProfile,
        catalog: Catalog,
        expecting expectations: [ClientExpectation],
        failsFast: Bool,
        seed: UInt64,
        options: [String],
        version: String,
        makeRequest: @escaping (LoadedProfile) throws -> RuleRequest
    ) {
        (self.command, self.sandbox, self.base, self.catalog) = (command, sandbox, base, catalog)
        self.expectations = expectations
        (self.failsFast, self.seed, self.options, self.version) = (failsFast, seed, options, version)
        self.makeRequest = makeRequest
        (timeout, hasChosenTimeout) = (command.timeout, command.timeout != nil)
    }

    /// Sets the time limit from the duration of a run without disturbances, unless the user chose one.
    package mutating func setTimeout(usual: Duration) {
        timeout = timeout ?? max(usual * Self.timeoutFactor, Self.minimumTimeout)
    }

    /// The expectations for a timeline: without a step `restored`, those that refer to it are left out.
    private func expectations(isRestored: Bool) -> [ClientExpectation] {
        expectations.filter { isRestored || $0.label != DisturbanceTimeline.restored }
    }

    /// Makes the run without disturbances.
    package func first(left: Duration) throws -> Trial {
        let conditions = try RunConditions(makeRequest(base))
        return trial("without anything wrong", conditions, isRestored: false, attempt: 0, left: left)
    }

    /// Makes a run of a timeline.
    ///
    /// - Parameters:
    ///   - left: the time that is left for the run, which may be less than its time limit.
    ///   - report: the directory for the run's report; nil for none.
    ///   - words: the options that repeat the run, for the report.
    package func trial(
        _ run: TimelineRun,
        left: Duration,
        report: String? = nil,
        words: [String] = []
    ) throws -> Trial {
        let text = Array(run.timeline.scenario(named: Self.name).json.text.utf8)
        let loaded = try LoadedScenario.received(utf8: text, catalog: catalog)
        return trial(
            run.timeline.kinds.map(\.rawValue).joined(separator: ", "),
            try RunConditions(loaded, makeRequest),
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
    ) -> Trial {
        var command = command
        command.timeout = timeout.map { min($0, left) } ?? left
        var sandbox = sandbox
        sandbox.conditions = conditions
        let plan = ObservedPlan(
            command,
            in: sandbox,
            expecting: expectations(isRestored: isRestored),
            // The run with a report goes on after a failure, to show the client's behaviour.
            failsFast: failsFast && report == nil,
            options: words,
            version: version
        )
        let slash = report?.lastIndex(of: "/")
        let parent = report.map { path in slash.map { String(path[..<$0]) } ?? "." }
        let own = report.map { path in slash.map { String(path[path.index(after: $0)...]) } ?? path }
        return Trial(name, plan, seed: seed(attempt), report: parent, directory: own ?? "")
    }

    package func seed(_ attempt: Int) -> UInt64 { seed &+ UInt64(attempt) }

    /// The scenario of a timeline as it is written to a file, with the expectations.
    package func scenario(_ timeline: DisturbanceTimeline) -> JSON {
        let texts = expectations(isRestored: timeline.isRestored).map { JSON(.string("\($0)")) }
        var scenario = timeline.scenario(named: Self.name)
        scenario.summary = timeline.words.joined(separator: "; ")
        return texts.isEmpty ? scenario.json : scenario.json.replacing("expect", .list(texts))
    }

    /// The options that repeat a run, without the seed and the command, as a user types them after `run`.
    package func words(scenario file: String) -> [String] {
        let limit = hasChosenTimeout ? [] : timeout.map { ["--timeout", $0.limitText] } ?? []
        return ["--scenario", file] + options + limit
    }

    /// The command line that repeats an attempt.
    package func repetition(_ file: String, attempt: Int) -> [String] {
        ["linkcond", "run"] + words(scenario: file) + ["--seed", "\(seed(attempt))", "--"] + command.words
    }
}

extension Duration {
    /// The duration in whole seconds, as an argument of `--timeout`.
    fileprivate var limitText: String { "\(Int64((self / .seconds(1)).rounded(.up)))s" }
}
