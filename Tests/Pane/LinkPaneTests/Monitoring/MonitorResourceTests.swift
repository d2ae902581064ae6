// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Reachability
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

@Suite struct MonitorResourceTests {
    private func put(_ resource: MonitorResource, _ targets: [String]) throws -> ControlAPI.Answer {
        let body = JSON(("targets", targets.json))
        return try #require(resource.answer(PaneRequest("PUT", "/v1/monitor", body: body)))
    }

    private func targets(_ resource: MonitorResource) -> [JSON] {
        let answer = resource.answer(PaneRequest("GET", "/v1/monitor"))
        guard case .array(let targets) = answer?.body?["targets"]?.value else { return [] }
        return targets
    }

    /// Asks until the targets satisfy `condition`, for at most `HangLimit`.
    private func wait(_ resource: MonitorResource, until condition: ([JSON]) -> Bool) async throws -> [JSON] {
        let deadline = ContinuousClock.now + .seconds(HangLimit.seconds)
        while true {
            let found = targets(resource)
            if condition(found) { return found }
            try #require(ContinuousClock.now < deadline, "\(found.map(\.line))")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func tellsStateReasonAndRoundTrip() async throws {
        let resource = MonitorResource()
        // Nothing serves the discard port of this host.
        let answer = try put(resource, ["link:lo", "tcp://127.0.0.1:9", "link:lo"])
        #expect(answer.status == 200)
        let found = try await wait(resource) { $0.allSatisfy { $0["state"]?.line != "\"unknown\"" } }
        #expect(found.map { $0["target"]?.line } == ["\"link:lo\"", "\"tcp://127.0.0.1:9\""])
        #expect(found[0]["state"]?.line == "\"up\"" && found[0]["reason"] == nil)
        #expect(found[1]["state"]?.line == "\"down\"")
        // The words of `linkcond monitor`.
        #expect(found[1]["reason"]?.line == "\"unreachable (transport.refused)\"")
        #expect(found[1]["since"].flatMap { Double($0.line) }.map { $0 > 1.7e9 } == true)
    }

    @Test func startsWithTheFirstTargetAndEndsWithTheLast() throws {
        var made = 0
        let resource = MonitorResource {
            made += 1
            return MonitorResource.ofThisNetwork()
        }
        #expect(targets(resource).isEmpty && made == 0)
        _ = try put(resource, ["link:lo"])
        _ = try put(resource, ["link:lo", "tcp://127.0.0.1:9"])
        #expect(targets(resource).count == 2 && made == 1)
        _ = try put(resource, [])
        #expect(targets(resource).isEmpty)
        _ = try put(resource, ["link:lo"])
        #expect(made == 2)
    }

    @Test(arguments: ["nonsense://x", "tcp://127.0.0.1", "https://"])
    func refusesATargetWithTheCommandLinesMessage(text: String) throws {
        let answer = try put(MonitorResource(), ["link:lo", text])
        let error = #expect(throws: TargetError.self) { try Target(text) }
        #expect(answer.status == 400 && answer.body?["field"]?.line == "\"targets\"")
        #expect(answer.body?["error"].flatMap { String(json: $0) } == error?.description)
    }

    @Test func keepsTheTargetsOnAMistake() throws {
        let resource = MonitorResource()
        _ = try put(resource, ["link:lo"])
        #expect(try put(resource, ["@/etc/passwd"]).status == 400)
        #expect(try put(resource, [String](repeating: "link:lo", count: 101)).status == 400)
        #expect(resource.answer(PaneRequest("PUT", "/v1/monitor", body: JSON()))?.status == 400)
        #expect(targets(resource).count == 1)
        #expect(resource.answer(PaneRequest("POST", "/v1/monitor"))?.allowed == "GET, PUT")
        #expect(resource.answer(PaneRequest("GET", "/v1/profiles")) == nil)
    }
}

@Suite struct TargetRecordTests {
    @Test func keepsTheLast60ProbesAndTheirLoss() throws {
        var record = TargetRecord()
        for number in 1...70 {
            record.add(number % 4 == 0 ? .failed(.blackHole) : .answered(.milliseconds(number)))
        }
        let json = record.json(try Target("link:lo"), epoch: .zero)
        record.add(.nothing(.blackHole))
        #expect(record.history.count == 60 && record.history.first == .milliseconds(11))
        // Of 11 to 70, 15 are multiples of 4.
        #expect(json["loss"]?.line == "0.25" && json["rtt"]?.line == "70.0")
        #expect(json["state"]?.line == "\"unknown\"" && json["since"] == nil)
    }
}
