// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// A journal that cannot be written, or cannot be trusted.
    @Suite struct Journal {
        /// A file system of its own for the journal.
        private final class Disk {
            let path = "/run/journal-\(UUID().uuidString.prefix(8))"

            init(_ size: String) throws {
                try Shell.check("mkdir \(path) && mount -t tmpfs -o mode=700,size=\(size) tmpfs \(path)")
            }

            deinit {
                _ = try? Shell.run("umount \(path); rmdir \(path)")
            }

            func linkcond(_ arguments: String, _ hosts: Hosts) throws -> CommandResult {
                try Shell.run("LINKCOND_STATE_DIR=\(path) \(Shell.linkcond) \(arguments) --netns \(hosts.near)")
            }

            var entry: String {
                get throws { try Shell.check("ls \(path)/*.entry").trimmingCharacters(in: .newlines) }
            }
        }

        @Test func fullDiskRefusesAndChangesNothing() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let disk = try Disk("4k")
            for _ in 0..<2 {
                let result = try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts)
                #expect(result.status == 74 && result.errors.contains("No space left on device"), "\(result)")
                #expect(try hosts.dump() == before)
            }
            #expect(try disk.linkcond("reset", hosts).status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func diskThatFillsUpDoesNotPreventReset() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let disk = try Disk("64k")
            #expect(try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts).status == 0)
            let during = try hosts.dump()
            _ = try Shell.run("dd if=/dev/zero of=\(disk.path)/filler bs=4k")
            #expect(try disk.linkcond("switch LTE", hosts).status == 74)
            #expect(try hosts.dump() == during)
            #expect(try disk.linkcond("status", hosts).output.contains("Slow Net"))
            #expect(try disk.linkcond("reset", hosts).status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func readOnlyDirectoryRefusesChangesButNotReset() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let disk = try Disk("64k")
            try Shell.check("mount -o remount,ro \(disk.path)")
            #expect(try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts).status == 74)
            #expect(try hosts.dump() == before)
            try Shell.check("mount -o remount,rw \(disk.path)")
            #expect(try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts).status == 0)
            let during = try hosts.dump()
            try Shell.check("mount -o remount,ro \(disk.path)")
            let result = try disk.linkcond("switch LTE", hosts)
            #expect(result.status == 74 && result.errors.contains("LINKCOND_STATE_DIR"))
            #expect(try hosts.dump() == during)
            let reset = try disk.linkcond("reset", hosts)
            #expect(reset.status == 74 && reset.errors.contains("their journal entry stays: cannot delete"), "\(reset)")
            #expect(try hosts.dump() == before)
            // The entry that could not be deleted is out of date.
            #expect(try disk.linkcond("status", hosts).errors == "nothing is conditioned\n")
        }

        /// Turns an entry into one of format 7: the second word of its first line is the format's version.
        private static let otherVersion = "sed -i -E '1s/^([^ ]+) [0-9]+ /\\1 7 /' FILE"

        @Test func entryOfAnotherVersionIsNotOverwritten() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let disk = try Disk("64k")
            #expect(try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts).status == 0)
            let during = try hosts.dump()
            try Shell.check(Self.otherVersion.replacing("FILE", with: try disk.entry))
            for change in ["switch LTE", "apply LTE -i \(hosts.interface)"] {
                let result = try disk.linkcond(change, hosts)
                #expect(result.status == 74 && result.errors.contains("format 7"), "\(result)")
                #expect(try hosts.dump() == during, "\(change)")
            }
            #expect(try disk.linkcond("reset", hosts).status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func brokenEntryIsNotTrusted() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let disk = try Disk("64k")
            let breakages = [
                ": > FILE", "truncate -s 100 FILE", "truncate -s -1 FILE", "sed -i s/Slow/Fast/ FILE",
                "head -c 5000 /dev/urandom > FILE", "rm FILE", Self.otherVersion, "rm FILE; mkdir FILE",
            ]
            for breakage in breakages {
                #expect(try disk.linkcond("apply 'Slow Net' -i \(hosts.interface)", hosts).status == 0, "\(breakage)")
                let during = try hosts.dump()
                let entry = try disk.entry
                let intact = try Shell.run("cksum \(entry)").output
                try Shell.check(breakage.replacing("FILE", with: entry))
                #expect(try Shell.run("cksum \(entry)").output != intact, "\(breakage) changes the entry")
                #expect(try disk.linkcond("status", hosts).output.contains("Slow Net"), "\(breakage)")
                #expect(try hosts.dump() == during, "\(breakage)")
                let staysAfterwards = breakage.contains("mkdir")
                #expect(try disk.linkcond("reset", hosts).status == (staysAfterwards ? 74 : 0), "\(breakage)")
                #expect(try hosts.dump() == before, "\(breakage)")
                _ = try Shell.run("rm -rf \(disk.path)/*")
            }
        }

        /// The conditions of an earlier interface with the same index do not apply to the new one.
        @Test func recreatedInterfaceHasNoConditions() throws {
            let hosts = try Hosts()
            let index = try Shell.check("\(hosts.inside) cat /sys/class/net/\(hosts.interface)/ifindex")
                .trimmingCharacters(in: .newlines)
            try hosts.apply("Slow Net", "--for 1h")
            try Shell.check(
                """
                \(hosts.inside) sh -ec 'ip link del \(hosts.interface)
                ip link add \(hosts.interface) index \(index) type veth peer name peer1
                ip link set peer1 up; ip link set \(hosts.interface) up; tc qdisc add dev \(hosts.interface) clsact; sleep 0.5'
                """
            )
            let status = try hosts.linkcond("status")
            #expect(status.status == 0 && status.output.isEmpty)
            let dump = try hosts.dump()
            #expect(dump.contains("clsact") && !dump.contains("lc\(index)r"))
            try hosts.apply("LTE")
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == dump)
        }

        @Test func renamedInterfaceKeepsItsConditionsAndTheirEnd() throws {
            for limit in [4, 20, 60] {
                let hosts = try Hosts()
                let start = now()
                try hosts.apply("Slow Net", "--for \(limit)s")
                try Shell.check("\(hosts.inside) ip link set \(hosts.interface) down")
                try Shell.check("\(hosts.inside) ip link set \(hosts.interface) name wan0 up")
                let status = try hosts.linkcond("status")
                // On a busy machine its time may be over already: then once more with a longer one.
                let isInTime = now() - start < Double(limit)
                if isInTime {
                    #expect(status.output.contains("wan0: Slow Net") && status.output.contains("ends in"))
                }
                #expect(try HangLimit.waits { try hosts.linkcond("status").errors == "nothing is conditioned\n" })
                #expect(now() - start > Double(limit) - 0.1)
                if isInTime { return }
            }
            try endInconclusively("a command took a minute")
        }

        /// A TUN device has no link-layer address, by which an entry tells an interface from a later one of its name.
        @Test func interfaceWithoutAnAddressIsRepaired() throws {
            let hosts = try Hosts()
            #expect(try hosts.onNear("ip tuntap add dev tun0 mode tun && ip link set tun0 up").status == 0)
            // The kernel notices a little later that no program carries its packets.
            _ = try HangLimit.waits { try hosts.dump().contains("NO-CARRIER") }
            let before = try hosts.dump()
            #expect(before.contains("NO-CARRIER") && before.contains("link/none"))
            try hosts.apply("Slow Net", "--for 1h", interface: "tun0")
            let guardian = try hosts.linkcond("status --json").output.firstMatch(of: /"guardian": ([0-9]+)/)?.output.1
            try Shell.check("kill -KILL \(try #require(guardian))")
            let status = try hosts.linkcond("status")
            #expect(status.errors.contains("repaired tun0: guardian process \(guardian ?? "") is gone"), "\(status)")
            #expect(try hosts.dump() == before)
            for milliseconds in stride(from: 100, through: 220, by: 20) {
                let limit = "timeout -s KILL \(Double(milliseconds) / 1000)"
                _ = try Shell.run("\(limit) \(Shell.linkcond) apply LTE -i tun0 --netns \(hosts.near)")
                let found = try hosts.linkcond("status")
                let isWhole = found.output.contains("LTE") && !found.output.contains("gone")
                #expect(try isWhole || hosts.dump() == before, "\(milliseconds) ms: \(found)")
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before, "\(milliseconds) ms")
            }
        }
    }
}
