// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// The user of the command in root's sandbox.
    @Suite struct SandboxUsers {
        @Test func commandRunsAsAnotherUser() throws {
            let home = try Shell.check("getent passwd nobody").split(separator: ":")[5]
            let command = Shell.quoted("id -u; echo $HOME; ping -n -c 5 -i 0.3 127.0.0.1")
            try Measurements.settle {
                let output = try Caller.root.check("'Slow Net' --offline --user nobody -- sh -c \(command)")
                let lines = output.split(separator: "\n")
                #expect(lines.first == "65534")
                #expect(lines.dropFirst().first == home)
                return try Ping(reading: output).fault("nobody", 246...252)
            }
        }

        @Test func switchWorksForThatUser() throws {
            let command = Shell.quoted("\(Shell.linkcond) switch 'Black Hole'; ping -n -c 2 -i 0.2 -W 1 ::1")
            let result = try Caller.root.run("'Slow Net' --offline --user nobody -- sh -c \(command)")
            #expect(try Ping(reading: result.output).received == 0)
            #expect(result.errors.contains("Black Hole"))
        }

        /// The lab's root has the tester's rights over this machine's files: another tester may not read /etc/shadow.
        private static let maySwitch = (try? Shell.run("cat /etc/shadow").status) == 0

        @Test(.enabled(if: maySwitch, "needs /etc/shadow, which the tester may not read"))
        func suWorks() throws {
            let output = try Caller.root.check("--offline -- su nobody -s /bin/sh -c id")
            #expect(output.hasPrefix("uid=65534(nobody)"))
        }

        @Test(
            .enabled(if: Shell.hasProgram("sudo"), "sudo is not installed"),
            .enabled(if: maySwitch, "needs /etc/sudoers, which the tester may not read")
        )
        func sudoWorks() throws {
            #expect(try Caller.root.check("--offline -- sudo -n -u nobody id -u") == "65534\n")
        }
    }
}
