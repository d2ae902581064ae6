// SPDX-License-Identifier: Apache-2.0

import Foundation
import Netlink
import Testing

@testable import LinkConditioning

/// What proc(5) and /sys of a machine say whose disks are elsewhere.
@Suite struct NetworkStorageTests {
    /// Files of such a machine.
    private final class Machine {
        let root = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID())")

        deinit { try? FileManager.default.removeItem(at: root) }

        func write(_ path: String, _ text: String) throws {
            let file = root.appending(path: path)
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }

        var storage: [String] {
            NetworkStorage.all(under: root.path).map { storage in
                "\(storage.name) \(storage.kind) \(storage.server) \(storage.port.map(String.init) ?? "-")"
            }
        }
    }

    @Test(arguments: [
        ("25 1 0:22 / / rw - nfs4 10.0.0.5:/export/root rw,vers=4.2,proto=tcp,addr=10.0.0.5", "/ nfs4 10.0.0.5 2049"),
        ("25 1 0:22 / /a\\040b rw shared:1 - nfs s:/x rw,port=3049,addr=2001:db8::5", "/a b nfs 2001:db8::5 3049"),
        ("25 1 0:22 / /s rw - cifs //nas/share rw,vers=3.1.1,addr=10.0.0.6", "/s cifs 10.0.0.6 445"),
        ("25 1 0:22 / /c rw - ceph 10.0.0.7:6789:/ rw,name=a", "/c ceph 10.0.0.7 -"),
        ("25 1 0:22 / /c rw - ceph [2001:db8::7]:6789:/ rw", "/c ceph 2001:db8::7 -"),
        ("25 1 0:22 / /p rw - 9p 10.0.0.8 rw,trans=tcp", "/p 9p 10.0.0.8 564"),
        ("25 1 0:22 / /p rw - 9p share rw,trans=virtio", nil),
        ("25 1 0:22 / / rw - ext4 /dev/sda1 rw,addr=10.0.0.5", nil), ("25 1 0:22 / / rw", nil), ("- - -", nil),
    ])
    func findsMountsThatOthersServe(line: String, expected: String?) throws {
        let machine = Machine()
        try machine.write("proc/self/mountinfo", line + "\n")
        #expect(machine.storage == [expected].compactMap { $0 })
    }

    @Test func findsBlockDevicesThatOthersServe() throws {
        let machine = Machine()
        #expect(machine.storage.isEmpty)
        try machine.write("sys/class/iscsi_connection/connection1:0/address", "10.0.0.9\n")
        try machine.write("sys/class/iscsi_connection/connection1:0/persistent_port", "3261\n")
        try machine.write("sys/class/nvme/nvme0/transport", "tcp\n")
        try machine.write("sys/class/nvme/nvme0/address", "traddr=10.0.0.10,trsvcid=4420,src_addr=10.0.0.1\n")
        try machine.write("sys/class/nvme/nvme1/transport", "pcie\n")
        try machine.write("sys/class/nvme/nvme1/address", "0000:00:1f.0\n")
        try machine.write("sys/block/nbd0/pid", "77\n")
        try machine.write("sys/block/nbd1/size", "0\n")
        // The addresses as a little-endian machine prints them, like those that Linux runs on.
        try machine.write(
            "proc/net/tcp",
            """
            sl local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode
            0: 0100000A:9C40 0B00000A:2A39 01 00000000:00000000 00:00000000 00000000 0 0 501 1
            1: 0100000A:9C41 0C00000A:01BB 01 00000000:00000000 00:00000000 00000000 0 0 502 1
            2: 0100000A:9C42 0D00000A:2A39 06 00000000:00000000 00:00000000 00000000 0 0 503 1
            """
        )
        let expected = ["connection1:0 iscsi 10.0.0.9 3261", "nvme0 nvme 10.0.0.10 4420"]
        #expect(machine.storage == expected + ["nbd0 nbd 10.0.0.11 10809"])
        // The process that serves the device tells more than the port.
        let descriptors = machine.root.appending(path: "proc/77/fd")
        try FileManager.default.createDirectory(at: descriptors, withIntermediateDirectories: true)
        #expect(symlink("socket:[502]", descriptors.appending(path: "3").path) == 0)
        #expect(machine.storage == expected + ["nbd0 nbd 10.0.0.12 443"])
    }

    @Test func namesWhatIsAffectedAndHowToKeepIt() throws {
        let server = try #require(IPAddress("10.0.0.5"))
        let storage = ["/", "/a", "/b", "/c"].map { NetworkStorage(name: $0, kind: "nfs4", server: server, port: 2049) }
        #expect(NetworkStorage.note([], on: "eth7") == nil)
        let note = try #require(NetworkStorage.note(storage, on: "eth7"))
        #expect(note.text.contains("eth7 carries / (nfs4 from 10.0.0.5), /a") && note.text.contains(" and 1 more"))
        #expect(note.remedy == Remedy(.excludeAddress, "10.0.0.5"))
        let traffic = try #require(storage[0].traffic)
        for (selection, isMeant) in [
            ("everything", true), ("exclude to 10.0.0.5", false), ("port 443", false), ("protocol udp", false),
        ] {
            #expect(try #require(Selection(selection)).includes(traffic) == isMeant, "\(selection)")
        }
    }
}
