// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditionerTesting
import LinkProfiles
import LinuxSystem
import Testing

/// What the tests of somebody's client look like. `TraitTests` runs them, inside of `linkcond run` and outside.
enum Inside {
    static let isWanted = ProcessInfo.processInfo.environment["LINKCOND_INSIDE"] != nil

    /// Has no conditions, and then a delay.
    static func becomesSlow(after trigger: Trigger) -> Scenario {
        var far = Profile(name: "far")
        far.uplink = Impairments()
        far.uplink?.delay = .milliseconds(100)
        return Scenario(
            name: "becomes slow",
            profile: ProfileReference(.inline(Profile(name: "near"))),
            steps: [Scenario.Step(label: "far away", after: trigger, profile: ProfileReference(.inline(far)))],
            expect: ["at most 3 connections during 'far away'"]
        )
    }

    /// Sets a mark, as a client does.
    static func mark(_ name: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: ProcessInfo.processInfo.environment["LINKCOND"] ?? "")
        process.arguments = ["mark", name]
        try process.run()
        process.waitUntilExit()
    }

    static func delay(_ milliseconds: Int) -> ConditionedLink {
        var profile = Profile(name: "\(milliseconds) ms")
        profile.uplink = Impairments()
        profile.uplink?.delay = .milliseconds(milliseconds)
        return .profile(profile)
    }
}

@Suite(.enabled(if: Inside.isWanted, "TraitTests runs it"), .conditioned(by: Inside.delay(40)))
struct InsideTests {
    @Test func hasTheConditionsOfItsSuite() throws {
        let server = try LocalServer()
        #expect((39..<99).contains(try server.shortestConnectTime(below: 99)))
    }

    @Test(.conditioned(by: Inside.delay(100)))
    func hasItsOwnConditions() throws {
        let server = try LocalServer()
        #expect((99..<300).contains(try server.shortestConnectTime(below: 300)))
    }

    @Test(.expecting(.atMost(2, .connectionAttempts), .completes(within: .seconds(5))))
    func keepsItsExpectations() throws {
        let server = try LocalServer()
        for _ in 0..<2 { _ = try server.connectTime() }
    }

    @Test(.expecting(.atMost(2, .connectionAttempts)))
    func violatesItsExpectation() throws {
        let server = try LocalServer()
        for _ in 0..<3 { _ = try server.connectTime() }
    }

    /// The second step begins during the test; what the scenario expects is judged, too.
    @Test(.conditioned(by: .scenario(Inside.becomesSlow(after: .mark("go")))))
    func playsAScenario() throws {
        let server = try LocalServer()
        #expect(try server.shortestConnectTime(below: 39) < 39)
        try Inside.mark("go")
        #expect((99..<300).contains(try server.shortestConnectTime(below: 300)))
    }

    @Test(.conditioned(by: .scenario(Inside.becomesSlow(after: .connections(90)))))
    func isTooShortForItsScenario() throws {
        _ = try LocalServer().connectTime()
    }

    @Test(.conditioned(by: .scenario(file: "scenario.json")))
    func playsTheScenarioOfAFile() throws {
        #expect((69..<200).contains(try LocalServer().shortestConnectTime(below: 200)))
    }

    @Test(.conditioned(by: .scenario(file: "missing.json")))
    func namesAMissingFile() {}

    @Test(.conditioned(by: "Slo Net"))
    func hasAMisspeltProfile() {}
}

/// Tests that share a link: only one may run at a time.
@Suite(.enabled(if: Inside.isWanted, "TraitTests runs it"))
struct InsideTurnTests {
    @Test(.conditioned(by: Inside.delay(1)), arguments: 0..<5)
    func runsAlone(_ number: Int) async throws {
        try #require(mkdir("turn", 0o700) == 0)
        try await Task.sleep(for: .milliseconds(30))
        rmdir("turn")
    }

    @Test(.conditioned(by: Inside.delay(1)), arguments: 0..<5)
    func runsAloneBesideOthers(_ number: Int) async throws {
        try await runsAlone(number)
    }
}

/// Pieces of code under conditions, in tests that have none.
@Suite(.enabled(if: Inside.isWanted, "TraitTests runs it"), .serialized)
struct InsideRestoreTests {
    private struct Thrown: Error {}

    @Test(arguments: [false, true])
    func isFreeAfterwards(isThrowing: Bool) async throws {
        let server = try LocalServer()
        do {
            try await LinkConditioner.run(under: Inside.delay(100)) {
                #expect(try server.shortestConnectTime(below: 300) >= 99)
                if isThrowing { throw Thrown() }
            }
            #expect(!isThrowing)
        } catch is Thrown {}
        #expect(try server.shortestConnectTime(below: 39) < 39)
    }
}

/// Tests that leave a child behind, as a server in C does that forks.
@Suite(.enabled(if: Inside.isWanted, "TraitTests runs it"))
struct InsideChildTests {
    @Test(.conditioned(by: Inside.delay(1)), arguments: 0..<3)
    func leavesAChild(_ number: Int) async throws {
        _ = try Fork.child { while true { pause() } }
    }
}

/// A test that leaves a connection open, among others that do not.
@Suite(.enabled(if: Inside.isWanted, "TraitTests runs it"), .expecting(.leavesNoConnectionOpen))
final class InsideLeakTests {
    /// A server that outlives each test.
    private final class Server: Sendable {
        let server: LocalServer

        init() throws { server = try LocalServer() }
    }

    private static let server = Result { try Server() }

    private let connection: CInt

    init() throws { connection = try Self.connect() }

    private static func connect() throws -> CInt { try server.get().server.connect() }

    deinit { close(connection) }

    @Test(arguments: 0..<6)
    func closesAtItsEnd(_ number: Int) async throws { try await Task.sleep(for: .milliseconds(30)) }

    @Test func leavesOne() throws { _ = try Self.connect() }
}
