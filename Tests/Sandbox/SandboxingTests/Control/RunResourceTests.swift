// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import SandboxClient
import TestKit
import Testing

@testable import Sandboxing

/// The requests that follow a run and suspend its conditions, in a sandbox without devices.
@Suite struct RunResourceTests {
    private let events = RunEvents()
    private let conditions: SandboxConditions

    init() throws {
        conditions = SandboxConditions(
            RouteConnection(try RouteSocket()),
            [ConditionedInterfaces(nil, [], [])],
            selection: Selection(),
            pump: nil
        )
    }

    private func sandbox(
        playing scenario: SandboxScenario? = nil,
        _ intent: RunIntent = RunIntent()
    ) -> ControlledSandbox {
        var sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: Catalog(directories: []),
            uplink: nil,
            supervisor: 4711
        )
        sandbox.events = events
        sandbox.scenario = ScenarioPlayer(scenario, conditions, events, uplinks: [])
        sandbox.intent = intent
        return sandbox
    }

    private func ask(_ sandbox: ControlledSandbox, _ method: String, _ path: String, _ body: String = "") -> JSON {
        let answer = sandbox.answer(method, path, body: Array(body.utf8))
        #expect(answer.status == 200, "\(method) \(path): \(answer.body?.line ?? "")")
        return answer.body ?? JSON(.null)
    }

    private var inEffect: String? { conditions.shown.profileName }

    private func step(_ label: String, _ trigger: Trigger, _ name: String) -> SandboxScenario.Step {
        SandboxScenario.Step(
            label: label,
            trigger: trigger,
            request: RuleRequest(profile: Profile(name: name)),
            queued: .delivered,
            changes: NetworkChanges()
        )
    }

    @Test func bringsBackWhatOffHasSuspended() throws {
        let sandbox = sandbox()
        _ = ask(sandbox, "PUT", "/v1/conditions", "Slow Net")
        #expect(ask(sandbox, "POST", "/v1/off").line == #"{ "suspended": ["Slow Net"] }"#)
        #expect(inEffect == "no conditions")
        // A test that restores the conditions when it ends gets those that were asked for.
        #expect(ask(sandbox, "GET", "/v1/conditions").required("name") == "Slow Net")
        #expect(ask(sandbox, "POST", "/v1/off").line == #"{ "suspended": ["Slow Net"] }"#)
        #expect(ask(sandbox, "POST", "/v1/on").line == #"{ "resumed": ["Slow Net"] }"#)
        #expect(inEffect == "Slow Net")
        #expect(ask(sandbox, "POST", "/v1/on").line == #"{ "resumed": [] }"#)
        let words = ["Slow Net", "no conditions", "Slow Net"]
        #expect(events.history.changes.map(\.profile) == words)
    }

    @Test func endsTheSuspensionWhereAClientPutsOtherConditions() {
        let sandbox = sandbox()
        _ = ask(sandbox, "PUT", "/v1/conditions", "Slow Net")
        _ = ask(sandbox, "POST", "/v1/off")
        _ = ask(sandbox, "PUT", "/v1/conditions", "LTE")
        #expect(inEffect == "LTE" && !conditions.isSuspended)
        #expect(ask(sandbox, "GET", "/v1/run")["off"]?.line == "false")
        #expect(ask(sandbox, "POST", "/v1/on").line == #"{ "resumed": [] }"#)
    }

    @Test func remembersTheStepsThatBeginWhileTheConditionsAreOff() {
        let scenario = SandboxScenario(name: "Lift", steps: [step("in", .mark("left"), "Black Hole")], repeat: 1)
        let sandbox = sandbox(playing: scenario)
        _ = ask(sandbox, "PUT", "/v1/conditions", "LTE")
        _ = ask(sandbox, "POST", "/v1/off")
        #expect(ask(sandbox, "POST", "/v1/marks", #"{"name": "left"}"#).required("step") == "in")
        #expect(inEffect == "no conditions")
        #expect(ask(sandbox, "GET", "/v1/run")["off"]?.line == "true")
        _ = ask(sandbox, "POST", "/v1/on")
        #expect(inEffect == "Black Hole")
    }

    @Test func tellsTheStepsWithTheirStates() throws {
        let scenario = SandboxScenario(
            name: "Lift",
            steps: [
                step("in", .mark("left"), "Black Hole"), step("up", .mark("moved"), "3G"),
                step("out", .time(.seconds(20)), "LTE"),
            ],
            repeat: 1
        )
        let sandbox = sandbox(playing: scenario, RunIntent(profile: "LTE", seed: 7))
        events.post(.begin)
        for mark in ["left", "moved"] { _ = ask(sandbox, "POST", "/v1/marks", "{\"name\": \"\(mark)\"}") }
        let run = ask(sandbox, "GET", "/v1/run")
        let steps = try #require(run["steps"].flatMap { [JSON](members: $0) })
        #expect(steps.compactMap { $0.required("state") as String? } == ["done", "now", "next"])
        #expect(steps.map { $0["at"] != nil } == [true, true, false])
        #expect(steps.compactMap { $0.required("after") as String? } == ["mark 'left'", "mark 'moved'", "20 s"])
        #expect(run.required("profile") == "LTE" && run["seed"]?.line == "7")
        let marks = try #require(run["marks"].flatMap { [JSON](members: $0) })
        #expect(marks.compactMap { $0.required("name") as String? } == ["left", "moved"])
        #expect(run["ended"] == nil && run["began"] != nil)
    }

    /// A verdict that is no failure may still change.
    @Test func tellsOnlyFailuresAsFinal() {
        func result(_ verdict: Verdict) -> JudgedExpectation {
            JudgedExpectation(expectation: "e", verdict: verdict, finding: "so", packets: [], remedy: nil)
        }
        let judged = TestVerdicts(nil, from: .zero, to: .zero, [result(.fail), result(.pass)])
        let verdicts = ControlledSandbox.verdicts(on: ["a", "b", "c"], judged)
        #expect(
            verdicts.map(\.line) == [
                #"{ "expectation": "a", "verdict": "fail", "finding": "so" }"#,
                #"{ "expectation": "b", "verdict": "pending", "soFar": "pass", "finding": "so" }"#,
                #"{ "expectation": "c", "verdict": "pending" }"#,
            ]
        )
    }

    @Test func answersThatConnectionsAreNotObserved() {
        let answer = sandbox().answer("GET", "/v1/connections", body: [])
        #expect(answer.status == 404 && answer.body?.required("kind") == "notObserved")
    }

    /// Clients may set marks without end.
    @Test func keepsABoundedNumberOfMarks() {
        var history = RunHistory()
        for index in 0..<5000 { history.add(.mark("\(index)"), at: .zero) }
        #expect(history.marks.count <= 2 * RunHistory.limit)
        #expect(history.marks.last?.name == "4999")
    }
}

extension [JSON] {
    fileprivate init?(members json: JSON) {
        guard case .array(let elements) = json.value else { return nil }
        self = elements
    }
}
