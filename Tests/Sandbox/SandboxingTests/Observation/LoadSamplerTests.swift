// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Glibc
import LinkProfiles
import LinuxSystem
import TestKit
import Testing

@testable import Sandboxing

@Suite struct LoadSamplerTests {
    /// The share of half a second in which a process, or one that it has started, waited for a processor.
    private func waitedShare(of process: CInt) -> Double {
        var sampler = LoadSampler(below: process)
        var waited: Int64 = 0
        let begin = RunClock.now
        repeat {
            if case .busy(_, let time) = sampler.wait(at: RunClock.now) { waited += time.nanoseconds }
            usleep(ClientSampler.pause)
        } while RunClock.now < begin + 500_000_000
        return Double(waited) / Double(RunClock.now - begin)
    }

    @Test func tellsTheCommandsWaitsFromThoseOfOtherProcesses() throws {
        let loop = "while :; do :; done"
        // Both on one processor: each waits while the other one runs.
        let parent = try RunningCommand(shell: "taskset -c 0 /bin/sh -c '(\(loop)) & wait'")
        let other = try RunningCommand(shell: "taskset -c 0 /bin/sh -c '\(loop)'")
        let idle = try RunningCommand(shell: "sleep 600")
        defer { kill(-parent.number, SIGKILL) }
        // Until they have started, and whatever else waits for that processor.
        #expect(HangLimit.waits { waitedShare(of: parent.number) > 0.2 })
        #expect(HangLimit.waits { waitedShare(of: other.number) > 0.2 })
        #expect(HangLimit.waits { waitedShare(of: idle.number) < 0.05 })
    }
}
