// SPDX-License-Identifier: Apache-2.0

// Exported, since tests name expectations and profiles.
@_exported public import ClientTraffic
@_exported public import ClientVerdicts
import Glibc
@_exported public import LinkProfiles
import LinuxSystem
import SandboxClient

/// Conditions and verdicts for a piece of code, inside `linkcond run`: for XCTest, and for programs that are no tests.
///
/// ```swift
/// func testSearch() async throws {
///     let judgements = try await LinkConditioner.run(under: "Slow Net", expecting: [.atMost(1, .connections)]) {
///         try await client.search("swift")
///     }
///     XCTAssertTrue(judgements.allSatisfy { $0.verdict == .pass }, "\(judgements)")
/// }
/// ```
public enum LinkConditioner {
    /// The reason why a piece of code could not be run under conditions.
    public struct Unavailable: Error, CustomStringConvertible {
        /// The reason, and what to type.
        public let description: String
    }

    /// Runs `body` under conditions, restores the earlier ones, and judges the traffic of `body`.
    ///
    /// Calls at the same time wait for each other, also in different processes of the sandbox.
    ///
    /// - Parameters:
    ///   - link: the conditions; nil to keep the conditions in effect.
    ///   - expectations: the expectations of the code. If netem carries the packets, the run must be started as
    ///     `linkcond run --observe`.
    /// - Returns: the verdicts, in the order of the expectations.
    /// - Throws: `Unavailable` outside of `linkcond run` or if the conditions cannot be changed, and any error of
    ///   `body`.
    @discardableResult
    public static func run(
        under link: ConditionedLink?,
        expecting expectations: [ClientExpectation] = [],
        _ body: () async throws -> Void
    ) async throws -> [Judgement] {
        try await perform(under: link, expecting: expectations, body).judgements
    }

    /// The outcome of a piece of code.
    struct Outcome {
        /// The verdicts; those on the expectations of a scenario come last.
        var judgements: [Judgement]
        /// Steps of a scenario that never began, or failed.
        var notes: [String]
    }

    static func perform(
        under link: ConditionedLink?,
        expecting expectations: [ClientExpectation],
        test: String? = nil,
        _ body: () async throws -> Void
    ) async throws -> Outcome {
        let client = try client()
        let link = try link.map { try ReadyLink($0) }
        let expectations = expectations + (link?.expectations ?? [])
        return try await LinkTurn.run(client.turn) {
            // A test that was killed may have left its scenario playing.
            if $0 { _ = try? client.endScenario() }
            if !expectations.isEmpty { try Self.answer(client.observe()) }
            return try await Self.conditioned(by: link, client) { start in
                try await body()
                let notes = try link?.end(by: client) ?? []
                guard !expectations.isEmpty else { return Outcome(judgements: [], notes: notes) }
                let scope = PartScope(process: getpid())
                let part = ObservedPart(of: client, from: .time(start), to: now, scope, test: test)
                return Outcome(judgements: try part.judge(expectations).judgements, notes: notes)
            }
        }
    }

    /// Whether this process is inside `linkcond run`.
    public static var isAvailable: Bool { ControlClient.ofThisSandbox != nil }

    /// Whether tests that need a sandbox fail outside of `linkcond run` instead of being skipped: LINKCOND_REQUIRED=1.
    static var isRequired: Bool { getenv("LINKCOND_REQUIRED").map { String(cString: $0) } == "1" }

    private static var now: Instant { Instant(nanoseconds: RunClock.now) }

    private static func client() throws -> ControlClient {
        guard let client = ControlClient.ofThisSandbox else {
            let program = CommandLine.arguments.first?.contains("xctest") == true ? "swift test" : "COMMAND"
            throw Unavailable(description: "no conditioned network; type: linkcond run -- \(program)")
        }
        return client
    }

    /// Runs `body` under the conditions, and then restores the earlier ones. `body` gets the time at which the
    /// conditions start.
    private static func conditioned<Result>(
        by link: ReadyLink?,
        _ client: ControlClient,
        _ body: (Instant) async throws -> Result
    ) async throws -> Result {
        guard let link else { return try await body(now) }
        let outer = try answer(client.conditions()) ?? .unconditioned
        // The steps of a scenario may begin before the answer has come.
        let start = now
        try answer(link.begin(by: client))
        let result: Result
        do {
            result = try await body(start)
        } catch {
            _ = try? link.end(by: client)
            try? client.change(to: outer)
            throw error
        }
        try client.change(to: outer)
        return result
    }

    /// Returns the result of a request, or throws the reason why the sandbox refuses it.
    private static func answer<Result>(
        _ request: @autoclosure () throws(ControlClient.Refusal) -> Result
    ) throws(Unavailable) -> Result {
        do {
            return try request()
        } catch {
            throw Unavailable(description: error.message)
        }
    }
}
