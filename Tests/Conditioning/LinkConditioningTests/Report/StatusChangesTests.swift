// SPDX-License-Identifier: Apache-2.0

import Netlink
import TestKit
import Testing

@testable import LinkConditioning

@Suite struct StatusChangesTests {
    /// Events of inotify(7) in a directory.
    private static func events(_ names: String...) -> [UInt8] {
        names.flatMap { name -> [UInt8] in
            let padded = Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count % 16)
            return [1, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, UInt8(padded.count), 0, 0, 0] + padded
        }
    }

    @Test func noticesEntriesOfTheJournalAndNotLocks() {
        #expect(StatusChanges.namesEntry(Self.events("7-3.lock", "cookie7-3.entry")[...]))
        #expect(!StatusChanges.namesEntry(Self.events("7-3.lock", "7-3.lcu3.pump")[...]))
        #expect(!StatusChanges.namesEntry([]))
        #expect(!StatusChanges.namesEntry(Self.events("7-3.entry")[..<20]), "cut off")
    }

    @Test(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
    func noticesInterfacesAddressesAndTrafficControl() throws {
        let noticed = try PrivateNetwork.run { () -> [Bool] in
            let monitor = try ChangeMonitor()
            return try [
                "true", "ip link add a0 type veth peer name b0", "true", "ip address add 192.0.2.1/24 dev a0",
                "tc qdisc add dev a0 clsact", "ip route show",
            ].map { line in
                try PrivateNetwork.shell(line)
                return monitor.hasChanged()
            }
        }
        #expect(noticed == [false, true, false, true, true, false])
    }
}
