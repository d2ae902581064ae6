// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit
import Testing

/// The engines, by measurement: packets through sandboxes that the program makes, held to the pipeline on the packets'
/// own times.
@Suite(.serialized, .enabled(if: !Engine.underTest.isEmpty, "needs root, and sch_netem or /dev/net/tun"))
struct MeasuredLinks {
    /// A link on an engine.
    struct Case: CustomTestStringConvertible, Sendable {
        let engine: Engine
        let link: Link
        var testDescription: String { "\(engine.rawValue), \(link.name)" }

        static let all = Engine.underTest.flatMap { engine in
            engine.links.map { Case(engine: engine, link: $0) }
        }
    }

    /// A finding fails once it has failed in a second run, with other random numbers, too.
    @Test(arguments: Case.all)
    func agreeWithTheModel(_ each: Case) async throws {
        let first = try await FirstRuns.shared.measurement(of: each.link, on: each.engine)
        var second: Measurement?
        for direction in Direction.allCases {
            let findings = first.findings(direction)
            Self.tell("\(each.testDescription) \(direction)", findings, first)
            let failures = findings.filter { !$0.holds }
            guard !failures.isEmpty else { continue }
            if second == nil { second = try await Trial(each.link, each.engine, seed: 2).finish() }
            let again = try #require(second)
            let others = again.findings(direction)
            Self.tell("\(each.testDescription) \(direction), second run", others, again)
            for failure in failures {
                let other = try #require(others.first { $0.aspect == failure.aspect })
                #expect(other.holds, "\(direction): \(failure), and again \(other)")
            }
        }
    }

    private static func tell(_ what: String, _ findings: [Finding], _ measurement: Measurement) {
        let late = (Statistics.mean(measurement.lateness) * 1000).rounded() / 1000
        print("conformance: \(what): \(findings), machine late by \(late) ms")
    }
}
