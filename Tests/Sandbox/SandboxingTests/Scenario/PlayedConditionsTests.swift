// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import LinkConditioning
import LinkProfiles
import Testing

@testable import Sandboxing

/// Scenarios that repeat what a run has had.
@Suite struct PlayedConditionsTests {
    private static func profile(_ name: String) -> Profile {
        var profile = Profile(name: name)
        profile.downlink = Impairments()
        profile.downlink?.delay = .milliseconds(5)
        return profile
    }

    private static let start = Instant(nanoseconds: 1_764_450_000_000_000_000)
    private static func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    private static func step(_ label: String) -> SandboxScenario.Step {
        SandboxScenario.Step(
            label: label,
            trigger: .mark("left"),
            request: RuleRequest(profile: profile("3G")),
            queued: .dropped,
            changes: NetworkChanges()
        )
    }

    private func read(_ played: PlayedConditions) throws -> Scenario {
        // As an archive holds it.
        try Scenario(utf8: Array(played.scenario(since: Self.start).json.text.utf8))
    }

    @Test func repeatsWhatWasPutByHandAtTheSameTimes() throws {
        var played = PlayedConditions(RunConditions(RuleRequest(profile: Self.profile("LTE"))))
        played.add(Self.profile("Slow"), on: nil, at: Self.at(1_500))
        played.add(.unconditioned, on: nil, at: Self.at(2_000))
        played.add(Self.profile("Slow"), on: nil, at: Self.at(4_250))
        let scenario = try read(played)
        #expect(scenario.profile.choice == .inline(Self.profile("LTE")))
        #expect(scenario.steps.map(\.after) == [1_500, 500, 2_250].map { .time(.milliseconds($0)) })
        #expect(scenario.steps.map(\.profile.name) == ["Slow", "no conditions", "Slow"])
        #expect(scenario.steps.map(\.label) == ["Slow", "no conditions", "Slow 2"])
    }

    /// Its steps wait for what they waited for.
    @Test func keepsTheScenarioOfARunThatNoClientHasChanged() throws {
        var conditions = RunConditions(RuleRequest(profile: Self.profile("LTE")))
        conditions.scenario = SandboxScenario(name: "Lift", steps: [Self.step("in")], repeat: 3)
        var played = PlayedConditions(conditions)
        let step = try #require(conditions.scenario?.steps.first)
        played.add(step, as: step.request.profile, isRequestedInside: false, at: Self.at(700))
        let same = try read(played)
        #expect(same.name == "Lift" && same.repeat == 3)
        #expect(same.steps.map(\.after) == [.mark("left")] && same.steps.map(\.queued) == [.dropped])
        played.add(Self.profile("Slow"), on: nil, at: Self.at(900))
        let changed = try read(played)
        #expect(changed.repeat == 1 && changed.steps.map(\.label) == ["in", "Slow"])
        #expect(changed.steps.map(\.after) == [.time(.milliseconds(700)), .time(.milliseconds(200))])
    }

    @Test func givesLabelsThatAScenarioMayHave() throws {
        var played = PlayedConditions(nil)
        for name in ["it's", String(repeating: "x", count: 200), " a"] {
            played.add(Self.profile(name), on: nil, at: Self.at(10))
        }
        for label in played.scenario(since: Self.start).steps.map(\.label) {
            #expect(Label.problem(with: label) == nil, "\(label)")
        }
    }

    @Test func keepsABoundedNumberOfChanges() {
        var played = PlayedConditions(nil)
        for index in 0..<3000 { played.add(Self.profile("\(index)"), on: nil, at: Self.at(index)) }
        #expect(played.changes.count == PlayedConditions.limit && played.hasMore)
    }
}
