// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Many sandboxes at the same time.
    @Suite struct SandboxSideBySide {
        @Test func eightSandboxesHaveTheirOwnDelays() throws {
            let delays = Array(stride(from: 10, through: 80, by: 10))
            try Measurements.settle { try fault(delays) }
        }

        private func fault(_ delays: [Int]) throws -> String? {
            let sandboxes = try delays.map { delay in
                let (caller, address) = delay % 20 == 0 ? (Caller.user, "::1") : (Caller.root, "127.0.0.1")
                let figures = "--uplink 'delay=\(delay) ms' --downlink 'delay=\(delay) ms'"
                let command = Shell.quoted("echo ready; cat; exec ping -n -c 9 -i 0.3 \(address)")
                return try RunningCommand(shell: caller.line("\(figures) --offline -- sh -c \(command)"))
            }
            for sandbox in sandboxes { #expect(sandbox.nextLine() == "ready") }
            for sandbox in sandboxes { sandbox.endInput() }
            // An echo may wait while another sandbox has the only processor; of nine, not each.
            let pings = try sandboxes.map { try Ping(reading: $0.waitForOutput()) }
            return try zip(delays, pings).compactMap { delay, ping in
                try ping.fault("\(delay) ms", 2 * Double(delay) - 3...2 * Double(delay) + 3)
            }.first
        }
    }
}
