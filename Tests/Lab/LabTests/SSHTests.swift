// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// A user who works on a machine over SSH, and conditions the interface that carries the connection.
    @Suite(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd"), "needs Debian's openssh-server")
    )
    struct SSH {
        /// A server on the near host, and keys for a client on the far one. It ends with this object.
        private final class Session {
            let hosts: Hosts
            private let directory = FileManager.default.temporaryDirectory.appending(path: "ssh-\(UUID().uuidString)")
                .path

            init() throws {
                hosts = try Hosts()
                try Shell.check(
                    """
                    set -e
                    mkdir -m 0700 \(directory)
                    mkdir -p -m 0755 /run/sshd
                    for name in host user; do ssh-keygen -q -t ed25519 -N '' -f \(directory)/$name; done
                    """
                )
                let options = [
                    "HostKey=\(directory)/host", "AuthorizedKeysFile=\(directory)/user.pub", "StrictModes=no",
                    "UsePAM=no", "PermitRootLogin=yes", "PidFile=\(directory)/pid",
                    "ListenAddress=\(Hosts.nearAddress.v4)",
                ]
                let words = options.map { "-o \($0)" }.joined(separator: " ")
                // sshd puts itself into the background: it closes every inherited descriptor, which Foundation would
                // take for the end of a child, and would then wait for that child only.
                try Shell.check("ip netns exec \(hosts.near) /usr/sbin/sshd -f /dev/null \(words)")
            }

            deinit {
                _ = try? Shell.run(
                    """
                    for _ in $(seq 50); do [ -s \(directory)/pid ] && break; sleep 0.1; done
                    kill $(cat \(directory)/pid); rm -rf \(directory)
                    """
                )
            }

            /// Runs a shell command on the near host, as the client does.
            func run(_ line: String) throws -> CommandResult {
                let quiet = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
                return try Shell.run(
                    "ip netns exec \(hosts.far) timeout 60 ssh -i \(directory)/user \(quiet) root@\(Hosts.nearAddress.v4) "
                        + Shell.quoted(line)
                )
            }
        }

        @Test func isNotCutByMistake() throws {
            let session = try Session()
            let before = try session.hosts.dump()
            let result = try session.run(
                "\(Shell.linkcond) apply 'Black Hole' -i \(session.hosts.interface); echo status $?"
            )
            #expect(result.output == "status 69\n", "\(result)")
            #expect(result.errors.contains("would cut the SSH connection of process"))
            #expect(result.errors.contains("with \(Hosts.farAddress.v4) port"))
            #expect(result.errors.contains("--keep-ssh") && result.errors.contains("--confirm"))
            #expect(try session.hosts.dump() == before)
        }

        @Test func canBeKept() throws {
            let session = try Session()
            let interface = session.hosts.interface
            let result = try session.run(
                """
                \(Shell.linkcond) apply 'Black Hole' -i \(interface) --keep-ssh || exit 1
                echo alive; ping -n -c 3 -i 0.2 -W 1 \(Hosts.farAddress.v4); \(Shell.linkcond) reset -i \(interface); echo end
                """
            )
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains("alive") && result.output.hasSuffix("end\n"))
            #expect(result.output.contains("3 packets transmitted, 0 received"))
        }

        @Test func comesBackUnlessConfirmed() throws {
            let session = try Session()
            let before = try session.hosts.dump()
            let start = ContinuousClock.now
            let apply = "\(Shell.linkcond) apply 'Black Hole' -i \(session.hosts.interface) --confirm 4s"
            let result = try session.run("\(apply); sleep 1; echo heard")
            #expect(result.status == 0, "\(result)")
            #expect(result.output == "heard\n")
            // No output arrives before the time limit; then TCP retransmits it.
            #expect(ContinuousClock.now - start > .seconds(4))
            #expect(try session.hosts.dump() == before)
        }
    }
}
