// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

/// What becomes of the packets of clients, with times in nanoseconds.
@Suite struct ConnectionTableTests {
    private static let second: Int64 = 1_000_000_000
    private static let client = FlowEndpoint(ipv4: 0x0A00_0264, port: 50_000)
    private static let server = FlowEndpoint(ipv4: 0xC000_0201, port: 443)
    private static let ends = Ends(client: client, server: server)

    private func open(_ table: inout ConnectionTable, _ ends: Ends = ends, now: Int64 = 0) throws -> Int {
        guard case .ask(let number) = table.receive([1, 2], ends, .syn, now: now) else {
            throw NotAsked()
        }
        return number
    }

    private struct NotAsked: Error {}

    @Test func holdsTheFirstPacketUntilTheServerHasAccepted() throws {
        var table = ConnectionTable()
        let number = try open(&table)
        #expect(table.receive([3], Self.ends, .ack, now: 1) == .nothing)
        #expect(table.serverHasAccepted(number, now: Self.second) == [1, 2])
        #expect(table.receive([3], Self.ends, .ack, now: 2 * Self.second) == .forward(number))
        #expect(table.ends(of: number) == Self.ends)
    }

    @Test func asksOnceForAFirstPacketThatIsRepeated() throws {
        var table = ConnectionTable()
        let number = try open(&table)
        #expect(table.receive([4, 5], Self.ends, .syn, now: Self.second) == .nothing)
        #expect(table.serverHasAccepted(number, now: 2 * Self.second) == [4, 5])
    }

    /// The client's packets come after 1, 2 and 4 s; a server that accepts later than the one after them is too late.
    @Test(arguments: [(11, true), (13, false)])
    func forgetsAClientThatHasGivenUp(seconds: Int64, isAlive: Bool) throws {
        var table = ConnectionTable()
        let number = try open(&table)
        for time in [1, 3] as [Int64] { _ = table.receive([1], Self.ends, .syn, now: time * Self.second) }
        let first = table.serverHasAccepted(number, now: (seconds - 2) * Self.second)
        #expect((first != nil) == isAlive)
        #expect(table.count == (isAlive ? 1 : 0))
    }

    /// One more path of a connection: the server is not asked again, and its end is that of both sides or a reset.
    @Test(arguments: [false, true]) func forwardsAPathThatJoins(isReset: Bool) throws {
        var table = ConnectionTable(limits: .init(connections: 1, questions: 0))
        guard case .forward(let number) = table.receive([1], Self.ends, .syn, multipath: .join, now: 0) else {
            throw NotAsked()
        }
        #expect(table.receive([1], Self.ends, .syn, multipath: .join, now: 1) == .forward(number))
        table.hasSent([.syn, .ack], to: number, now: 1)
        var other = Self.ends
        other.client.scope = 1
        // The same address at another device is another client's.
        #expect(table.receive([1], other, .ack, now: 1) == .reset)
        #expect(table.receive([1], other, .syn, multipath: .join, now: 1) == .full)
        if isReset {
            table.hasSent(.rst, to: number, now: 2)
        } else {
            #expect(table.receive([1], Self.ends, [.fin, .ack], now: 2) == .forward(number))
            #expect(table.receive([1], other, .syn, multipath: .join, now: 2) == .full)
            table.hasSent([.fin, .ack], to: number, now: 2)
        }
        // Its last packets still go to the kernel, and another may take its place.
        #expect(table.receive([1], Self.ends, .ack, now: 3) == .forward(number))
        guard case .forward = table.receive([1], other, .syn, multipath: .join, now: 3) else { throw NotAsked() }
    }

    @Test func losesConnectionsOnce() throws {
        var table = ConnectionTable()
        var others: [Ends] = [Self.ends, Self.ends, Self.ends]
        (others[0].client.port, others[1].client.scope) = (50_002, 1)
        others[2].client.port = 50_003
        let numbers = try ([Self.ends] + others).map { ends in
            let number = try open(&table, ends, now: ends.client.port == 50_003 ? 9 : 0)
            _ = table.serverHasAccepted(number, now: 9)
            return number
        }
        _ = table.receive([], others[0], .ack, now: 50)
        table.hasSent(.ack, to: numbers[3], now: 50)
        func isHere(_ end: FlowEndpoint) -> Bool { end.scope == 0 }
        // One that was not used since, and one that began before.
        #expect(table.lose(isHere, used: 20) == [numbers[0]])
        #expect(table.lose(isHere, begun: 5) == [numbers[1]])
        #expect(table.lose(isHere) == [numbers[3]])
        #expect(table.lose(isHere).isEmpty)
        // One that may have other paths.
        var multipath = Self.ends
        multipath.client.port = 50_004
        guard case .ask(let number) = table.receive([1], multipath, .syn, multipath: .connection, now: 0) else {
            throw NotAsked()
        }
        _ = table.serverHasAccepted(number, now: 1)
        #expect(table.lose(isHere).isEmpty)
    }

    @Test func takesAPortAgainWhosePathHasEndedWithoutAWord() throws {
        var table = ConnectionTable()
        guard case .forward(let path) = table.receive([1], Self.ends, .syn, multipath: .join, now: 0) else {
            throw NotAsked()
        }
        let number = try open(&table, now: 1)
        #expect(number != path && table.serverHasAccepted(number, now: 2) != nil)
        #expect(table.receive([1], Self.ends, .ack, now: 3) == .forward(number))
    }

    @Test func answersForAServerThatRefuses() throws {
        var table = ConnectionTable()
        let number = try open(&table)
        #expect(table.serverHasRefused(number) == [1, 2])
        #expect(table.count == 0 && table.serverHasRefused(number) == nil)
        // The client may try again at once.
        let again = try open(&table, now: 1)
        #expect(again != number)
    }

    @Test func forgetsAConnectionThatItsClientResets() throws {
        var table = ConnectionTable()
        let number = try open(&table)
        #expect(table.receive([], Self.ends, .rst, now: 1) == .nothing)
        #expect(table.serverHasAccepted(number, now: 2) == nil)
    }

    @Test(arguments: [TCPFlags.ack, [.syn, .ack], .rst])
    func resetsWhatItDoesNotKnow(flags: TCPFlags) {
        var table = ConnectionTable()
        // But never what is a reset itself.
        #expect(table.receive([], Self.ends, flags, now: 0) == (flags == .rst ? .nothing : .reset))
    }

    /// The kernel may have to repeat its last packet, and TIME_WAIT lasts a minute.
    @Test func knowsAnEndedConnectionForTwoMinutes() throws {
        var table = ConnectionTable()
        let number = try open(&table)
        _ = table.serverHasAccepted(number, now: 0)
        table.hasEnded(number, now: 0)
        #expect(table.receive([], Self.ends, .ack, now: 119 * Self.second) == .forward(number))
        #expect(table.receive([], Self.ends, .ack, now: 121 * Self.second) == .reset)
        #expect(table.count == 0)
    }

    @Test func opensANewConnectionFromAPortThatIsUsedAgain() throws {
        var table = ConnectionTable()
        let old = try open(&table)
        _ = table.serverHasAccepted(old, now: 0)
        table.hasEnded(old, now: 0)
        let new = try open(&table, now: Self.second)
        #expect(new != old && table.ends(of: old) == Self.ends)
        _ = table.serverHasAccepted(new, now: Self.second)
        // What is left of the old one does not take the new one along.
        #expect(table.receive([], Self.ends, .ack, now: 125 * Self.second) == .forward(new))
    }

    @Test func boundsAFloodOfFirstPackets() {
        var table = ConnectionTable(limits: .init(connections: 100, questions: 10))
        let decisions = (0..<50).map { port in
            table.receive([1], Ends(client: FlowEndpoint(ipv4: 1, port: port), server: Self.server), .syn, now: 0)
        }
        #expect(decisions.count { $0 == .full } == 40 && table.count == 10)
    }

    /// More than there may be at a time, in the time for which ended ones are known.
    @Test func takesNewConnectionsHoweverManyHaveEnded() throws {
        var table = ConnectionTable(limits: .init(connections: 10, questions: 5, ended: 100))
        for count in 0..<1_000 {
            let client = FlowEndpoint(ipv4: 0x0A00_0264, port: UInt16(40_000 + count))
            let now = Int64(count) * 1_000_000
            let number = try open(&table, Ends(client: client, server: Self.server), now: now)
            #expect(table.serverHasAccepted(number, now: now) != nil)
            table.hasEnded(number, now: now)
            #expect(table.count <= 101)
        }
    }

    @Test func boundsConnections() throws {
        var table = ConnectionTable(limits: .init(connections: 20, questions: 10))
        for port in 0..<50 as Range<UInt16> {
            let ends = Ends(client: FlowEndpoint(ipv4: 1, port: port), server: Self.server)
            guard case .ask(let number) = table.receive([1], ends, .syn, now: 0) else { continue }
            _ = table.serverHasAccepted(number, now: 0)
        }
        #expect(table.count == 20)
    }
}
