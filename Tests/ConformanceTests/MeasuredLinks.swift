// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
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
    func agreeWithTheModel(_ each: Case) throws {
        let first = try FirstRuns.shared.measurement(of: each.link, on: each.engine)
        var second: Measurement?
        for direction in Direction.allCases {
            let findings = first.findings(direction)
            print("conformance: \(each.testDescription) \(direction): \(findings)")
            let failures = findings.filter { !$0.holds }
            guard !failures.isEmpty else { continue }
            let again = try second ?? Trial(each.link, each.engine, seed: 2).finish()
            second = again
            let others = again.findings(direction)
            print("conformance: \(each.testDescription) \(direction), second run: \(others)")
            for failure in failures {
                let other = try #require(others.first { $0.aspect == failure.aspect })
                #expect(other.holds, "\(direction): \(failure), and again \(other)")
            }
        }
    }
}
