// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@Suite struct ChildStatusTests {
    /// In a storm of forks, children end as fast as they are waited for: a process that waits for all of them at once
    /// would do nothing else any more.
    @Test func reportsACrowdInTurns() async {
        // In a process of its own, whose threads rest while it is copied.
        await #expect(processExitsWith: .success) {
            // In a child, since all children are waited for.
            let end = try ForkedTrial.end {
                guard let signals = try? SignalQueue([SIGCHLD]) else { _exit(10) }
                let limit = 20
                for _ in 0..<limit + 10 {
                    let child = try? Fork.child { _exit(0) }
                    guard child != nil else { _exit(11) }
                    // Until it has ended.
                    var information = siginfo_t()
                    waitid(P_PID, UInt32(child ?? 0), &information, WEXITED | WNOWAIT)
                }
                while signals.next() != nil {}
                guard ChildStatus.all(atMost: limit).count == limit else { _exit(12) }
                guard signals.next()?.signal == SIGCHLD else { _exit(13) }
                guard ChildStatus.all(atMost: limit).count == 10 else { _exit(14) }
                _exit(signals.next() == nil ? 0 : 15)
            }
            #expect(end == .exited(0))
        }
    }
}
