// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit

/// Holds what became of one direction's packets to the model, within the tolerances of this suite.
struct Judge {
    private let link: Link
    private let judge: LaneJudge
    private let aspects: [Aspect]

    init(_ link: Link, _ direction: Direction, sends: [Int64], error: Double = Link.budget.perRun) {
        self.link = link
        aspects = link.aspects(direction)
        var tolerances = Tolerances()
        tolerances.delay = (0.5, 0.01)
        let sent = LaneJudge.Sent(
            sends,
            frameBytes: link.traffic(direction).frameBytes,
            isECNCapable: link.isECNCapable
        )
        judge = LaneJudge(LaneModel(link.profile, direction), sent, error: error, tolerances: tolerances)
    }

    /// Milliseconds that a probe may be behind on a machine that has the time to fill a link.
    private static let punctual = 1.0

    /// `seed` is the engine's; nil where it cannot be told one. `backlog` is what the probe was behind by, in milliseconds.
    func findings(
        on record: FlowRecord,
        _ machine: MachineNoise = MachineNoise(),
        backlog: Double = 0,
        seed: UInt64? = nil
    ) -> [LinkFinding] {
        var findings = judge.findings(aspects, on: record, machine)
        if let seed, !link.isOverload { findings += judge.replay(record, seed: seed, machine) }
        // On a machine that has the time it is a mistake of the suite if a link is not filled.
        return findings.map { finding in
            guard finding.aspect == .filling, backlog <= Self.punctual else { return finding }
            let (modelled, measured) = (finding.modelled, finding.measured)
            return LinkFinding(.filling, modelled: modelled, measured: measured, allowed: finding.allowed)
        }
    }
}
