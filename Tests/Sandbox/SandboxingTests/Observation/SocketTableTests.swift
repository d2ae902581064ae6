// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Glibc
import LinuxSystem
import SandboxClient
import TestKit
import Testing

@testable import Sandboxing

/// The text of /proc/net/tcp and tcp6.
struct SocketTableTests {
    private static let head =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    private static let rest = "00000000:00000000 00:00000000 00000000     0        0"

    private func read(_ lines: [String], _ states: Set<SocketTable.State>) -> [SocketTable.Entry] {
        var entries: [SocketTable.Entry] = []
        SocketTable.read(Array((Self.head + lines.joined(separator: "\n") + "\n").utf8), states, into: &entries)
        return entries
    }

    @Test func readsTheSocketsOfTheWantedStates() {
        let entries = read(
            [
                "   0: 0100007F:1F90 00000000:0000 0A \(Self.rest) 11 1 0000000000000000 100 0 0 10 0",
                "   1: 0100007F:9C40 0100007F:1F90 01 \(Self.rest) 4026531840 1 0000000000000000 20 4 30 10 -1",
                "12345: 0100007F:9C41 0100007F:1F90 02 \(Self.rest) 0",
            ],
            [.established, .synSent]
        )
        #expect(entries.map(\.local.endpoint?.description) == ["127.0.0.1:40000", "127.0.0.1:40001"])
        #expect(entries.map(\.remote.endpoint?.description) == ["127.0.0.1:8080", "127.0.0.1:8080"])
        #expect(entries.map(\.state) == [.established, .synSent] && entries.map(\.inode) == [4_026_531_840, 0])
    }

    @Test func readsIPv6AndIPv4WithinIt() {
        let v6 = "B80D0120000000000000000001000000"
        let mapped = "0000000000000000FFFF00000100007F"
        let entries = read(["   0: \(v6):0050 \(mapped):0051 01 \(Self.rest) 7 1"], [.established])
        #expect(entries.map(\.local.endpoint?.description) == ["[2001:db8::1]:80"])
        #expect(entries.map(\.remote.endpoint?.description) == ["127.0.0.1:81"])
    }

    /// The kernel lists a socket again if others come while it is asked.
    @Test func readsASocketOnce() {
        let line = "0100007F:9C40 0100007F:1F90 01 \(Self.rest)"
        let entries = read(
            ["   0: \(line) 7 1", "   1: \(line) 8 1", "   2: \(line) 7 1", "   3: \(line) 7 1"],
            [.established]
        )
        #expect(entries.map(\.inode) == [7, 8])
    }

    @Test(arguments: [
        "", "   0:", "   0: 0100007F:1F90 0100007F:1F90 01", "   0: 01:1F90 0100007F:1F90 01 \(rest) 7",
        "   0: 0100007F:1F90 0100007F:1F90 ZZ \(rest) 7", "   0: 0100007F:1F90 0100007F:1F90 01 \(rest) 7x",
        "   0: 0100007F 0100007F:1F90 01 \(rest) 7", "   0: 0100007F:1F90 0100007F:1F90 FF \(rest) 7",
    ])
    func passesOverOtherLines(_ line: String) {
        #expect(read([line], [.established]).isEmpty)
    }

    /// A connection that the server has closed and the client has not is still held by the client.
    @Test func listsConnectionsThatOnlyTheOtherEndHasClosed() throws {
        let words = """
            import socket, sys
            s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname())
            s.accept()[0].close(); c.recv(1)
            print(c.getsockname()[1], flush=True); sys.stdin.read()
            """
        let child = try RunningCommand(["/usr/bin/python3", "-c", words])
        defer {
            child.endInput()
            child.wait()
        }
        let client = "127.0.0.1:\(try #require(try child.line()))"
        let open = OpenSockets.current().filter { $0.socket.client.description == client }
        #expect(open.map(\.owner) == ["python3 (\(child.number))"])
    }

    @Test func findsWhoHoldsASocket() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var facts = stat()
        fstat(socket, &facts)
        let inode = UInt64(facts.st_ino)
        let found = SocketOwners.find([inode, 1], among: [getpid()])
        #expect(found[inode]?.process == getpid() && found[inode]?.name.hasSuffix(" (\(getpid()))") == true)
        #expect(found[1] == nil)
    }

    /// A look at all descriptors takes long: each socket gets one.
    @Test func looksForTheOwnerOfASocketOnce() throws {
        let server =
            "import socket,sys;s=socket.create_server(('127.0.0.1',0));c=socket.create_connection(s.getsockname());"
        let words = "print(c.getsockname()[1],flush=True);sys.stdin.read()"
        let child = try RunningCommand(["/usr/bin/python3", "-c", server + words])
        defer {
            child.endInput()
            child.wait()
        }
        let port = try #require(try child.line())
        var owners = ConnectionOwners()
        let entries = try #require(SocketTable.entries(in: [.established]))
        let found = owners.find(entries, at: 0).filter { $0.0.local.endpoint?.description == "127.0.0.1:\(port)" }
        #expect(found.map(\.1) == ["python3 (\(child.number))"])
        #expect(owners.find(entries, at: 1_000_000_000_000).isEmpty)
        // Once it is gone, the kernel may give its number to another.
        _ = owners.find([], at: 1)
        #expect(owners.find(entries, at: 1).isEmpty, "a look-up takes longer than a nanosecond")
        #expect(!owners.find(entries, at: 1_000_000_000_000).isEmpty)
    }
}
