// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import Statistics
import Synchronization
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

    /// How many runs may be repeated in all: on a machine that is busy all the time, more say nothing.
    private static let repetitions = Mutex(16)

    private static func mayRepeat() -> Bool {
        repetitions.withLock { left in
            left -= 1
            return left >= 0
        }
    }

    /// What a run leaves open is measured again, with other random numbers: SettledFindings says when it is decided.
    @Test(arguments: Case.all)
    func agreeWithTheModel(_ each: Case) async throws {
        var findings = SettledFindings()
        for run in 1...SettledFindings.maximumRuns {
            let measurement =
                run == 1
                ? try await FirstRuns.shared.measurement(of: each.link, on: each.engine)
                : try await Trial(each.link, each.engine, seed: UInt64(run)).finish()
            for direction in Direction.allCases {
                let found = measurement.findings(direction)
                findings.add(found, of: direction, lateness: measurement.meanLateness)
                Self.tell("\(each.testDescription) \(direction)\(run > 1 ? ", run \(run)" : "")", found, measurement)
            }
            if findings.isSettled || !findings.wrong.isEmpty || !Self.mayRepeat() { break }
        }
        #expect(findings.wrong.isEmpty)
        guard findings.wrong.isEmpty, !findings.isSettled else { return }
        try endInconclusively("\(each.testDescription): the machine had too little time: \(findings.open)")
    }

    private static func tell(_ what: String, _ findings: [LinkFinding], _ measurement: Measurement) {
        let late = (measurement.lateness.mean * 1000).rounded() / 1000
        print("conformance: \(what): \(findings), machine late by \(late) ms, behind by \(measurement.backlog) ms")
    }
}
