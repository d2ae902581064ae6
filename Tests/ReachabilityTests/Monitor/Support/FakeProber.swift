// SPDX-License-Identifier: Apache-2.0

import Netlink
import Synchronization

@testable import Probing

/// Answers as it is told to, at once, and counts.
final class FakeProber: Prober {
    private struct State {
        var findings: [Probe: Observation.Finding] = [:]
        var usual = Observation.Finding.answered(.milliseconds(1))
        var count = 0
    }

    private let state = Mutex(State())

    /// How many probes there have been.
    var count: Int { state.withLock(\.count) }

    /// What probes show from now on.
    func show(_ finding: Observation.Finding) { state.withLock { $0.usual = finding } }

    /// What this probe shows from now on.
    func show(_ finding: Observation.Finding, for probe: Probe) { state.withLock { $0.findings[probe] = finding } }

    func start(
        batch: [Probe],
        timeout _: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        for (index, probe) in batch.enumerated() {
            let finding = state.withLock { state in
                state.count += 1
                return state.findings[probe] ?? state.usual
            }
            done(index, Observation(finding))
        }
        return ProbeHandle {}
    }
}
