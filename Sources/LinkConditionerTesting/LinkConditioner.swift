// SPDX-License-Identifier: Apache-2.0

public import ClientObservation
import Glibc
import LinkProfiles
import Sandboxing

/// Conditions and verdicts for a piece of code, inside of `linkcond run`: for XCTest, and for programs that are no tests.
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
    /// Why a piece of code could not be run under conditions.
    public struct Unavailable: Error, CustomStringConvertible {
        /// The reason, and what to type.
        public let description: String
    }

    /// Runs `body` under conditions, takes them off again, and judges what it did.
    ///
    /// Pieces of code that are to run at the same time wait for each other, in other processes of the sandbox, too.
    ///
    /// - Parameters:
    ///   - link: the conditions; nil for those in effect.
    ///   - expectations: what is expected of the code. Where netem carries the packets, begin the run as
    ///     `linkcond run --observe`.
    /// - Returns: the verdicts, in the order of the expectations.
    /// - Throws: `Unavailable` outside of `linkcond run`, what `body` throws, or why the conditions cannot be changed.
    @discardableResult
    public static func run(
        under link: ConditionedLink?,
        expecting expectations: [ClientExpectation] = [],
        _ body: () async throws -> Void
    ) async throws -> [Judgement] {
        let client = try client()
        return try await LinkTurn.take {
            try await Self.conditioned(by: link, client) {
                if !expectations.isEmpty { try observe(client) }
                let begin = ObservedPart.now
                try await body()
                guard !expectations.isEmpty else { return [] }
                let end = ObservedPart.now
                try await Task.sleep(for: ObservedPart.lag)
                return try ObservedPart(of: client, from: .time(begin), to: end).judge(expectations)
            }
        }
    }

    /// Whether this process is inside of `linkcond run`.
    public static var isAvailable: Bool { ControlClient.ofThisSandbox != nil }

    /// Whether tests that need it are to fail outside of `linkcond run`, and not to be skipped: LINKCOND_REQUIRED=1.
    static var isRequired: Bool { getenv("LINKCOND_REQUIRED").map { String(cString: $0) } == "1" }

    private static func client() throws -> ControlClient {
        guard let client = ControlClient.ofThisSandbox else {
            let program = CommandLine.arguments.first?.contains("xctest") == true ? "swift test" : "COMMAND"
            throw Unavailable(description: "no conditioned network; type: linkcond run -- \(program)")
        }
        return client
    }

    /// Observes the sandbox from now on.
    private static func observe(_ client: ControlClient) throws {
        do throws(ControlClient.Refusal) {
            try client.observe()
        } catch {
            throw Unavailable(description: error.message)
        }
    }

    private static func conditioned<Result>(
        by link: ConditionedLink?,
        _ client: ControlClient,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard let link else { return try await body() }
        let outer: ConditionedLink
        do throws(ControlClient.Refusal) {
            outer = try client.conditions().map { .profile($0) } ?? .profile(.init(name: "no conditions"))
        } catch {
            throw Unavailable(description: error.message)
        }
        do {
            try link.apply(by: client)
        } catch let error as ControlClient.Refusal {
            throw Unavailable(description: error.message)
        }
        let result: Result
        do {
            result = try await body()
        } catch {
            try? outer.apply(by: client)
            throw error
        }
        try outer.apply(by: client)
        return result
    }
}
