// SPDX-License-Identifier: Apache-2.0

import Netlink
import Synchronization
import TestKit
import Testing

@testable import Probing

/// Answers as it is told to, at once, and counts.
final class FakeProber: Prober {
    private struct State {
        var findings: [Probe: Observation.Finding] = [:]
        var usual = Observation.Finding.answered(.milliseconds(1))
        var count = 0
        var answered = 0
    }

    private let state = Mutex(State())

    /// How many probes there have been.
    var count: Int { state.withLock(\.count) }

    /// Waits until so many more probes have been answered: those of the first may have been sent before.
    func answers(_ more: Int) async {
        let wanted = state.withLock(\.answered) + more
        let haveCome = await HangLimit.awaits { state.withLock(\.answered) >= wanted }
        #expect(haveCome, "\(more) more probes")
    }

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
            state.withLock { $0.answered += 1 }
        }
        return ProbeHandle {}
    }
}
