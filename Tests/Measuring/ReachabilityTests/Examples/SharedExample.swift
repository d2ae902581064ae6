// SPDX-License-Identifier: Apache-2.0

import Reachability
import Testing

/// Several parts of a program watch one target through the process's monitor, and share its probes.
@Suite(.timeLimit(.minutes(10))) struct SharedExample {
    private let service = LoopbackService()

    @Test func sharesOneMonitor() async {
        let target = service.target
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for await event in ReachabilityMonitor.shared.events(of: [target]) {
                        if event.status?.isReachable == true { return true }
                    }
                    return false
                }
            }
            for await answered in group { #expect(answered) }
        }
    }
}
