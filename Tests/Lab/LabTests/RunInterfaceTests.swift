// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond run -i`: conditions on one of the host's interfaces for as long as a command runs.
    @Suite struct RunInterface {
        /// The shell command that runs a command under Slow Net.
        private func line(_ command: String, on hosts: Hosts) -> String {
            let run = "\(Shell.linkcond) run 'Slow Net' -i \(hosts.interface)"
            return "ip netns exec \(hosts.near) \(run) -- sh -c \(Shell.quoted(command))"
        }

        @Test(arguments: [(Hosts.farAddress.v4, 249.0), (Hosts.farAddress.v6, 259.0)])
        func conditionsEndWithTheCommand(_ address: String, _ milliseconds: Double) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            // The first neighbour solicitation on a link that has just come up may be lost, and is repeated after a
            // second.
            try Shell.check("ip netns exec \(hosts.near) ping -n -c 1 -W 5 \(address)")
            // New hosts send multicast reports (MLD) through the same bottleneck; of nine echoes they hit few.
            try Measurements.settle {
                let ping = try Ping(reading: try Shell.check(line("ping -n -c 9 -i 0.3 \(address)", on: hosts)))
                #expect(try hosts.dump() == before)
                return try ping.fault(address, milliseconds - 3...milliseconds + 3)
            }
        }

        @Test(arguments: [("exit 3", 3), ("kill -9 $$", 128 + SIGKILL), ("kill -TERM $$", 128 + SIGTERM)])
        func conditionsEndHoweverTheCommandDoes(_ command: String, _ status: Int32) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            // A shell in between turns death by a signal into a status.
            let line = line(command, on: hosts)
            #expect(try Shell.run("sh -c \(Shell.quoted("\(line); exit $?"))").status == status)
            #expect(try hosts.dump() == before)
        }

        @Test func secondRunOnTheSameInterfaceIsRefused() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let first = try RunningCommand(shell: line("echo ready; cat", on: hosts))
            #expect(first.nextLine() == "ready")
            let during = try hosts.dump()
            let second = try Shell.run(line("echo begun", on: hosts))
            #expect(second.status == 125 && second.output.isEmpty)
            #expect(second.errors.contains("\(hosts.interface) already has \"Slow Net\""))
            #expect(second.errors.contains("linkcond reset -i \(hosts.interface)"))
            #expect(try hosts.dump() == during)
            first.endInput()
            #expect(first.wait() == 0)
            #expect(try hosts.dump() == before)
        }

        /// netem would carry the profile, but a capture needs the fate of each packet.
        @Test func aCaptureHasThePacketsBeforeAndAfterTheirLanes() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let folder = try TemporaryDirectory()
            let file = "\(folder.path)/c.pcapng"
            let run = "\(hosts.inside) \(Shell.linkcond) run -v 'Slow Net' -i \(hosts.interface) --capture \(file)"
            let result = try Shell.run("\(run) -- ping -n -q -c 3 -i 0.5 \(Hosts.farAddress.v4)")
            #expect(result.status == 0 && result.output.contains("3 received"), "\(result)")
            #expect(result.errors.contains("using the userspace engine: "), "\(result)")
            let lines = try Shell.check("\(Shell.linkcond) capture -r \(file) -n -t").split(separator: "\n")
            for (lane, message) in [("uplink", "echo request"), ("downlink", "echo reply")] {
                let echoes = lines.filter { $0.hasPrefix("\(lane) of \(hosts.interface) ") && $0.contains(message) }
                let delays = echoes.compactMap { echo in
                    echo.firstMatch(of: /after ([\d.]+) ms/).flatMap { Double($0.output.1) }
                }
                #expect(echoes.count == 3 && delays.count == 3, "\(lines)")
                // 100 ms, and 98 bytes at 32 kbit/s; a new host's multicast report (MLD) may go ahead of one.
                #expect(abs((delays.min() ?? 0) - 124.5) <= 3, "\(lines)")
            }
            #expect(try hosts.dump() == before)
            let refused = try Shell.run("\(run) --engine netem -- echo begun")
            #expect(refused.status == 125 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("linkcond capture -i \(hosts.interface) -w \(file)"), "\(refused)")
        }

        @Test func switchInsideWorksAndTheEndStillRestores() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let command = "\(Shell.linkcond) switch 'Black Hole'; ping -n -c 3 -i 0.2 -W 1 \(Hosts.farAddress.v4)"
            let result = try Shell.run(line(command, on: hosts))
            #expect(result.errors.contains("\"Black Hole\" instead of \"Slow Net\""))
            let ping = try Ping(reading: result.output)
            #expect(ping.sent == 3 && ping.received == 0)
            #expect(try hosts.dump() == before)
        }
    }
}
