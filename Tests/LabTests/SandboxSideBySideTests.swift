// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Many sandboxes at the same time.
    @Suite struct SandboxSideBySide {
        @Test func eightSandboxesHaveTheirOwnDelays() throws {
            let delays = Array(stride(from: 10, through: 80, by: 10))
            let sandboxes = try delays.map { delay in
                let (caller, address) = delay % 20 == 0 ? (Caller.user, "::1") : (Caller.root, "127.0.0.1")
                let figures = "--uplink 'delay=\(delay) ms' --downlink 'delay=\(delay) ms'"
                let command = Shell.quoted("echo ready; cat; exec ping -n -c 9 -i 0.3 \(address)")
                return try RunningCommand(shell: caller.line("\(figures) --offline -- sh -c \(command)"))
            }
            for sandbox in sandboxes { #expect(sandbox.nextLine() == "ready") }
            for sandbox in sandboxes { sandbox.endInput() }
            for (delay, sandbox) in zip(delays, sandboxes) {
                let shortest = try #require(try Ping(reading: sandbox.waitForOutput()).shortest)
                // An echo may wait while another sandbox has the only processor; of nine, not each.
                #expect(abs(shortest - 2 * Double(delay)) <= 3, "\(delay) ms")
            }
        }
    }
}
