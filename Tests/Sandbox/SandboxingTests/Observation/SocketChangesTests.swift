// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestKit
import Testing

@testable import Sandboxing

/// When the counters of a network tell that its sockets are the same as at the last look.
struct SocketChangesTests {
    private static func entries(_ states: [(code: String, inode: Int)]) -> [SocketTable.Entry] {
        let rest = "00000000:00000000 00:00000000 00000000     0        0"
        let lines = states.map { "   0: 0100007F:9C40 0100007F:1F90 \($0.code) \(rest) \($0.inode) 1 0\n" }
        var entries: [SocketTable.Entry] = []
        let states: Set<SocketTable.State> = [
            .established, .synSent, .finWait1, .closing, .lastAcknowledgment, .closeWait,
        ]
        SocketTable.read(Array(("  sl\n" + lines.joined()).utf8), states, into: &entries)
        return entries
    }

    private static func counters(_ begun: Int, _ accepted: Int, _ open: Int) -> ConnectionCounters? {
        ConnectionCounters(
            snmp: """
                Ip: Forwarding ActiveOpens
                Ip: 1 99
                Tcp: MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs
                Tcp: -1 \(begun) \(accepted) 3 4 \(open) 5

                """
        )
    }

    /// Whether the next look is worth its time, with these counters before it.
    private static func isLikely(_ changes: inout SocketChanges, _ counters: ConnectionCounters?) -> Bool {
        changes.areLikely(counters)
    }

    private static let steady = entries([("01", 7), ("01", 8)])

    /// What has looked at `entries` with the same counters, time and again.
    private static func settled(_ entries: [SocketTable.Entry], areOwnersKnown: Bool = true) -> SocketChanges {
        var changes = SocketChanges()
        for _ in 0..<5 where changes.areLikely(counters(1, 1, 2)) {
            changes.note(entries, areOwnersKnown: areOwnersKnown)
        }
        return changes
    }

    @Test func trustsCountersThatStandStill() {
        var changes = SocketChanges()
        // The first look, and one whose counters had not changed before it.
        for _ in 0..<2 {
            #expect(Self.isLikely(&changes, Self.counters(1, 1, 2)))
            changes.note(Self.steady, areOwnersKnown: true)
        }
        for _ in 0..<3 { #expect(!Self.isLikely(&changes, Self.counters(1, 1, 2))) }
        var idle = Self.settled([])
        #expect(!Self.isLikely(&idle, Self.counters(1, 1, 2)), "a network without sockets")
    }

    @Test(arguments: [(2, 1, 2), (1, 2, 2), (1, 1, 1)])
    func looksTwiceAfterAChange(_ begun: Int, _ accepted: Int, _ open: Int) {
        var changes = Self.settled(Self.steady)
        for _ in 0..<2 {
            #expect(Self.isLikely(&changes, Self.counters(begun, accepted, open)))
            changes.note(Self.steady, areOwnersKnown: true)
        }
        #expect(!Self.isLikely(&changes, Self.counters(begun, accepted, open)))
    }

    /// An attempt, a connection that nothing has accepted, and the states of one that is closing.
    @Test(arguments: [("02", 7), ("01", 0), ("04", 7), ("04", 0), ("08", 7), ("09", 0), ("0B", 0)])
    func looksOnWhileASocketMayChangeUncounted(_ code: String, _ inode: Int) {
        let entries = Self.steady + Self.entries([(code, inode)])
        #expect(entries.count == 3)
        var changes = Self.settled(entries)
        #expect(Self.isLikely(&changes, Self.counters(1, 1, 2)))
    }

    @Test func looksOnUntilTheHoldersHaveBeenLookedFor() {
        var changes = Self.settled(Self.steady, areOwnersKnown: false)
        #expect(Self.isLikely(&changes, Self.counters(1, 1, 2)))
    }

    @Test func looksOnWithoutCounters() {
        var changes = SocketChanges()
        for _ in 0..<5 {
            #expect(Self.isLikely(&changes, nil))
            changes.note(Self.steady, areOwnersKnown: true)
        }
        #expect(ConnectionCounters(snmp: "Tcp: ActiveOpens PassiveOpens\nTcp: 1 2\n") == nil)
        #expect(ConnectionCounters(snmp: "") == nil)
    }

    /// Each thing that the sampler reports of a connection is counted by this machine's kernel.
    @Test(.enabled(if: Kernel.isRoot, "needs root for a network where nothing else connects"))
    func theKernelCountsEachChange() throws {
        let counters = try PrivateNetwork.run {
            try PrivateNetwork.shell("ip link set lo up")
            return try Self.countersOfAConnection()
        }
        try #require(counters.count == 4)
        let (before, connected, halfClosed, closed) = (counters[0], counters[1], counters[2], counters[3])
        #expect(connected.begun == before.begun + 1 && connected.accepted == before.accepted + 1)
        #expect(connected.open == before.open + 2)
        #expect(halfClosed.open < connected.open && closed.open == before.open)
    }

    /// What is counted before a connection, with it, after its client has closed, and after its server has.
    private static func countersOfAConnection() throws -> [ConnectionCounters] {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        func withAddress(_ body: (UnsafeMutablePointer<sockaddr>) -> CInt) -> CInt {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
            }
        }
        guard withAddress({ bind(server, $0, size) }) == 0, listen(server, 1) == 0,
            withAddress({ getsockname(server, $0, &size) }) == 0
        else { return [] }
        var counters = [ConnectionCounters.current]
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress({ connect(client, $0, size) }) == 0 else { return [] }
        let accepted = accept(server, nil, nil)
        counters.append(.current)
        // Not by close(2): a child that another test has just forked has the sockets, too.
        for end in [client, accepted] {
            shutdown(end, Int32(SHUT_RDWR))
            close(end)
            counters.append(.current)
        }
        return counters.compactMap(\.self)
    }
}
