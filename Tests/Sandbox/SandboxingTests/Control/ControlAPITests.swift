// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import SandboxClient
import Synchronization
import TestKit
import Testing

@testable import Sandboxing

/// Requests and answers of a sandbox without devices: nothing reaches the kernel.
@Suite struct ControlAPITests {
    private let sandbox: ControlledSandbox
    private let conditions: SandboxConditions

    init() throws {
        let connection = RouteConnection(try RouteSocket())
        conditions = SandboxConditions(
            connection,
            [ConditionedInterfaces(nil, [], [])],
            selection: Selection(),
            pump: nil
        )
        sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: Catalog(directories: []),
            uplink: nil,
            supervisor: 4711
        )
    }

    private var current: RuleRequest? { try? conditions.current() }

    private func put(_ body: String) -> ControlAPI.Answer {
        sandbox.answer("PUT", "/v1/conditions", body: Array(body.utf8))
    }

    @Test(arguments: ["Slow Net", "\"Slow Net\"", " slow-net\n", "\n\"slow net\" "])
    func takesAName(_ body: String) {
        #expect(put(body).status == 200)
        #expect(current?.profile.name == "Slow Net")
    }

    @Test func takesAProfile() {
        let answer = put(" { \"name\": \"Mine\", \"downlink\": { \"delay\": \"5 ms\" } }")
        #expect(answer.status == 200)
        #expect(current?.profile.downlink?.delay == .milliseconds(5))
    }

    @Test(arguments: [
        ("", 400, "badRequest"), (" \n", 400, "badRequest"), ("\"Slow Net", 400, "badRequest"),
        ("\"\"", 400, "badRequest"), ("/etc/passwd", 400, "badRequest"), ("mine.json", 400, "badRequest"),
        ("-", 400, "badRequest"), ("\"../x.json\"", 400, "badRequest"), ("Slow Nut", 404, "unknownProfile"),
        ("{", 422, "badProfile"), ("{}", 422, "badProfile"),
        ("{\"name\":\"x\",\"downlink\":{\"rate\":\"fast\"}}", 422, "badProfile"), ("\u{0}", 404, "unknownProfile"),
    ])
    func refusesWhatIsNoProfile(body: String, status: Int, kind: String) {
        let answer = put(body)
        #expect(answer.status == status)
        #expect(answer.body?.text.contains("\"kind\": \"\(kind)\"") == true)
        #expect(current == nil)
    }

    /// Where each has its own, conditions are those of an interface that is named.
    @Test func knowsTheConditionsOfEachInterface() throws {
        let links = ["lo", "wifi0", "cell0"].map { ConditionedInterfaces($0, [], []) }
        let conditions = SandboxConditions(
            RouteConnection(try RouteSocket()),
            links,
            selection: Selection(),
            pump: nil
        )
        let sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: Catalog(directories: []),
            uplink: nil,
            supervisor: 4711
        )
        func ask(_ method: String, _ path: String) -> ControlAPI.Answer {
            sandbox.answer(method, path, body: Array("3G".utf8))
        }
        #expect(ask("PUT", "/v1/conditions/cell0").status == 200)
        #expect(links.map(\.profileName) == [nil, nil, "3G on cell0"])
        #expect(ask("GET", "/v1/conditions/cell0").body?.required("name") == "3G")
        #expect(ask("GET", "/v1/conditions/wifi0").status == 204)
        for path in ["/v1/conditions", "/v1/conditions/eth0", "/v1/conditions/"] {
            #expect(ask("PUT", path).body?.text.contains(path.hasSuffix("s") ? "name one of" : "no interface") == true)
        }
        #expect(ask("PUT", "/v1/conditions/cell0/x").status == 404)
        #expect(conditions.shown.profileName == "3G on cell0")
    }

    @Test func suggestsTheNearestName() {
        #expect(put("Slow Nut").body?.text.contains("Slow Net") == true)
    }

    @Test func returnsConditionsThatCanBePutAgain() throws {
        let before = sandbox.answer("GET", "/v1/conditions", body: [])
        #expect(before.status == 204)
        #expect(before.body == nil)
        _ = put("{ \"name\": \"Mine\", \"seed\": 7, \"downlink\": { \"delay\": \"5 ms\" } }")
        let profile = try #require(current?.profile)
        let answer = sandbox.answer("GET", "/v1/conditions", body: [])
        #expect(answer.status == 200)
        _ = put("3G")
        #expect(put(try #require(answer.body).text).status == 200)
        #expect(current?.profile == profile)
        #expect(current?.seed == 7)
    }

    @Test func recordsChangesAndMarks() throws {
        let events = RunEvents()
        var sandbox = sandbox
        sandbox.events = events
        for body in ["Slow Net", "Slow Nut"] { _ = sandbox.answer("PUT", "/v1/conditions", body: Array(body.utf8)) }
        let answer = sandbox.answer("POST", "/v1/marks", body: Array(#"{ "name": "left" }"#.utf8))
        #expect(answer.status == 200)
        #expect(answer.body?.line == #"{ "mark": "left" }"#)
        guard case .lines(let bytes, next: 2) = events.read(from: 0, size: 4096) else {
            Issue.record("there are not two events")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""event": "conditions", "profile": "Slow Net" }"#))
        #expect(text.contains(#""event": "mark", "name": "left" }"#))
    }

    @Test(arguments: [
        "", "left", "\"left\"", "{}", "{\"name\": 5}", "{\"name\": \"\"}", "{\"name\": \" a\"}", "{\"name\": \"it's\"}",
        "{\"name\": \"a\\n\"}", "{\"name\": \"a\", \"time\": 5}", "[\"name\"]",
        "{\"name\": \"\(String(repeating: "x", count: 101))\"}",
    ])
    func refusesWhatIsNoMark(body: String) {
        let events = RunEvents()
        var sandbox = sandbox
        sandbox.events = events
        let answer = sandbox.answer("POST", "/v1/marks", body: Array(body.utf8))
        #expect(answer.status == 400)
        #expect(events.read(from: 0, size: 10) == .nothing)
    }

    @Test(arguments: [
        ("", 400), ("at most 1 connection", 400), (#"{ "expectations": [] }"#, 400),
        (#"{ "expectations": ["at most 1 connection"] }"#, 404),
    ])
    func judgesNothingThatIsNotObserved(body: String, status: Int) {
        let answer = sandbox.answer("POST", "/v1/judge", body: Array(body.utf8))
        #expect(answer.status == status)
        let kind = status == 404 ? "notObserved" : "badRequest"
        #expect(answer.body?.text.contains("\"kind\": \"\(kind)\"") == true)
    }

    /// A sandbox in which a client may play scenarios, and its events.
    private func stage(of run: SandboxScenario? = nil) -> (sandbox: ControlledSandbox, events: RunEvents) {
        let events = RunEvents()
        var sandbox = sandbox
        (sandbox.events, sandbox.scenario) = (events, ScenarioPlayer(run, conditions, events, uplinks: []))
        return (sandbox, events)
    }

    private static let step = #"{ "label": "away", "after": { "mark": "left" }, "profile": "Black Hole" }"#
    private static let scenario = #"{ "name": "Lift", "profile": "LTE", "steps": [\#(step)] }"#

    @Test func playsAScenarioUntilItIsEnded() throws {
        let (sandbox, events) = stage()
        let put = { sandbox.answer("PUT", "/v1/scenario", body: Array(Self.scenario.utf8)) }
        #expect(put().status == 200 && current?.profile.name == "LTE")
        let mark = Array(#"{ "name": "left" }"#.utf8)
        #expect(sandbox.answer("POST", "/v1/marks", body: mark).body?.line == #"{ "mark": "left", "step": "away" }"#)
        #expect(current?.profile.name == "Black Hole")
        #expect(sandbox.answer("DELETE", "/v1/scenario", body: []).body?.line == #"{ "notes": [] }"#)
        #expect(put().status == 200 && current?.profile.name == "LTE")
        // One that never began.
        let ended = sandbox.answer("DELETE", "/v1/scenario", body: [])
        #expect(ended.body?.line.contains("step 'away' never began") == true, "\(ended.body?.line ?? "")")
        #expect(sandbox.answer("POST", "/v1/marks", body: mark).body?.line == #"{ "mark": "left" }"#)
        #expect(current?.profile.name == "LTE")
        guard case .lines(let bytes, _) = events.read(from: 0, size: 4096) else {
            Issue.record("there are no events")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""event": "conditions", "profile": "LTE" }"#), "\(text)")
        #expect(text.contains(#""event": "step", "label": "away", "profile": "Black Hole" }"#), "\(text)")
        #expect(text.contains(#""event": "missed", "label": "away""#), "\(text)")
    }

    @Test(arguments: [
        "", "Slow Net", "{}", #"{ "name": "x", "profile": "Slow Nut" }"#, #"{ "name": "x", "profile": "/etc/passwd" }"#,
        #"{ "name": "x", "profile": "mine.json" }"#, #"{ "name": "x", "profile": "-" }"#,
        #"{ "name": "x", "profile": { "name": "y", "uplink": { "rate": { "trace": "up" } } } }"#,
        #"{ "name": "x", "profile": "LTE", "steps": [{ "label": "y" }] }"#,
    ])
    func refusesWhatIsNoScenario(body: String) {
        let answer = stage().sandbox.answer("PUT", "/v1/scenario", body: Array(body.utf8))
        #expect(answer.status == 422)
        #expect(answer.body?.text.contains(#""kind": "badScenario""#) == true, "\(answer.body?.text ?? "")")
        #expect(current == nil)
    }

    @Test func playsNoScenarioBesideThatOfTheRun() throws {
        let sandbox = stage(of: SandboxScenario(name: "", steps: [], repeat: 1)).sandbox
        for method in ["PUT", "DELETE"] {
            let answer = sandbox.answer(method, "/v1/scenario", body: Array(Self.scenario.utf8))
            #expect(answer.status == 409 && current == nil)
        }
    }

    @Test func tellsTheState() throws {
        _ = put("3G")
        let answer = sandbox.answer("GET", "/v1/status", body: [])
        #expect(answer.status == 200)
        let report = try #require(answer.body.flatMap { StatusReport(json: $0) })
        #expect(report.sandbox == StatusReport.Sandbox(profile: "3G", uplink: nil, processID: 4711))
    }

    @Test(arguments: [
        ("POST", "/v1/status", "GET"), ("DELETE", "/v1/conditions", "GET, PUT"), ("GET", "/v1/marks", "POST"),
        ("POST", "/v1/events", "GET"), ("POST", "/v1/scenario", "GET, PUT, DELETE"), ("GET", "/v1/judge", "POST"),
        ("GET", "/v1/observation", "POST"),
    ])
    func saysWhichMethodIsKnown(method: String, path: String, allowed: String) {
        let answer = sandbox.answer(method, path, body: [])
        #expect(answer.status == 405)
        #expect(answer.allowed == allowed)
    }

    /// Each resource answers with its methods, is named by a refusal and stands in the guide.
    @Test(arguments: ControlAPI.Resource.allCases)
    func servesAndTellsEachResource(_ resource: ControlAPI.Resource) throws {
        let guide = "Sources/Programs/linkcond/linkcond.docc/control-socket.md"
        let text = try String(contentsOf: Package.directory.appending(path: guide), encoding: .utf8)
        for method in ["GET", "PUT", "POST", "DELETE"] {
            let answer = sandbox.answer(method, resource.rawValue, body: [])
            let isAllowed = resource.methods.contains(method)
            // A stream of events is the server's, not the sandbox's.
            if resource != .events { #expect((answer.status != 405) == isAllowed, "\(method)") }
            #expect(!isAllowed || text.contains("`\(method) \(resource.rawValue)`"), "\(method)")
        }
        let refusal = sandbox.answer("GET", "/", body: []).body?.text ?? ""
        #expect(refusal.contains(resource.rawValue) != [.capture, .record].contains(resource), "\(refusal)")
    }

    @Test(arguments: ["/", "/v1", "/v2/status", "/v1/status/", "*", ""])
    func knowsNoOtherResource(path: String) {
        #expect(sandbox.answer("GET", path, body: []).status == 404)
    }
}
