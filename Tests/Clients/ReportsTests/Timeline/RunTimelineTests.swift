// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import LinkProfiles
import Testing

@testable import Reports

struct RunTimelineTests {
    @Test
    func hasTheConditionsFromBeginToEnd() {
        let timeline = Example.timeline()
        #expect(timeline.periods.map(\.profile) == ["Slow Net", "Black Hole"])
        #expect(timeline.periods.map(\.label) == [nil, "in the lift"])
        #expect(timeline.periods.map(\.begin) == [.zero, .seconds(4)])
        #expect(timeline.periods.map(\.end) == [.seconds(4), .seconds(10)])
        #expect(timeline.periods[0].asked.uplink.rate?.constant?.bitsPerSecond == 100_000)
        #expect(timeline.marks == [RunTimeline.Mark(name: "left", time: .seconds(6))])
    }

    @Test
    func tellsTheLifeOfAConnection() throws {
        let line = try #require(Example.timeline().connections.first)
        #expect(line.begin == .seconds(1))
        #expect(line.accepted == .milliseconds(1500))
        #expect(line.firstByte == .seconds(2))
        #expect(line.lastByte == .milliseconds(2400))
        #expect(line.end == .seconds(7))
        #expect(line.ending.kind == .finished)
        #expect(line.ending.side == .client)
        #expect(line.retransmissions(of: .client) == [.seconds(5)])
        #expect(line.silences == [ConnectionLine.Silence(begin: .milliseconds(2400), end: .seconds(7))])
    }

    @Test
    func tellsAConnectionThatWasGivenUpFromOneThatIsOpen() {
        var asked = Example.connection(port: 40001)
        (asked.accepted, asked.answers, asked.endings) = (nil, [], [])
        asked.clientPackets = asked.attempts
        var traffic = ObservedTraffic()
        traffic.connections = [asked]
        var record = Example.record
        record.socketChanges = [
            RunRecord.SocketChange(
                .asked,
                of: SocketEnds(asked.client, asked.server),
                last: Example.instant(3),
                gone: Example.instant(3.1)
            )
        ]
        let givenUp = RunTimeline(traffic, record, initial: nil, asked: [:]).connections[0]
        #expect(givenUp.ending.kind == .givenUp)
        #expect(givenUp.end == .milliseconds(3100))
        record.socketChanges = []
        record.openAtEnd = [RunRecord.OpenSocket(SocketEnds(asked.client, asked.server))]
        let open = RunTimeline(traffic, record, initial: nil, asked: [:]).connections[0]
        #expect(open.ending.kind == .open)
        #expect(open.end == .seconds(10))
    }

    /// Data that lay in a queue for seconds comes to a socket that is gone, and the kernel answers it with RST.
    @Test(arguments: [(8.0, nil, 7.0, ConnectionEnd.Kind.finished), (8.5, 7.5, 8.5, .reset), (6.0, nil, 6, .reset)])
    func endsAConnectionWhereTheClientLeftIt(
        _ reset: Double,
        _ answer: Double?,
        _ end: Double,
        _ kind: ConnectionEnd.Kind
    ) {
        var connection = Example.connection()
        if let answer { connection.answers.append(Example.packet(8, 5, answer)) }
        connection.answers.append(Example.packet(9, 5, 8))
        connection.clientPackets.append(Example.packet(10, reset))
        connection.endings.append(Connection.Ending(.reset, by: .client, Example.packet(10, reset)))
        let line = Example.timeline([connection]).connections[0]
        #expect(line.end == .seconds(end) && line.ending.kind == kind && line.ending.side == .client)
        #expect(line.silences.allSatisfy { $0.end <= line.end })
    }

    /// Whichever side is the first to close: what the kernel sends again moves no end.
    @Test(arguments: [nil, 3.5])
    func endsAConnectionWhereTheClientSentItsFINFirst(serverFIN: Double?) {
        var connection = Example.connection()
        connection.clientPackets += [Example.packet(9, 8), Example.packet(10, 9)]
        if let serverFIN {
            connection.endings.insert(Connection.Ending(.finish, by: .server, Example.packet(8, 3, serverFIN)), at: 0)
        }
        let timeline = Example.timeline([connection])
        let line = timeline.connections[0]
        #expect(line.end == .seconds(7) && line.ending.kind == .finished)
        #expect(line.ending.side == (serverFIN == nil ? .client : .server))
    }

    /// A client that sends no more may read on.
    @Test
    func endsAHalfClosedConnectionWithItsLastAnswer() {
        var connection = Example.connection()
        connection.answers.append(Example.packet(9, 7.5, 8.5))
        #expect(Example.timeline([connection]).connections[0].end == .milliseconds(8500))
    }

    /// `leaves no connection open` fails for it.
    @Test
    func keepsAConnectionOpenThatOnlyTheServerHasClosed() {
        var connection = Example.connection()
        connection.endings = [Connection.Ending(.finish, by: .server, Example.packet(8, 3, 3.5))]
        var traffic = ObservedTraffic()
        traffic.connections = [connection]
        var record = Example.record
        record.openAtEnd = [RunRecord.OpenSocket(SocketEnds(connection.client, connection.server))]
        let line = RunTimeline(traffic, record, initial: nil, asked: [:]).connections[0]
        #expect(line.ending.kind == .open && line.end == .seconds(10) && line.ending.side == nil)
    }

    @Test
    func showsFirstWhatFindingsName() {
        var connections = (0..<1000).map { Example.connection(port: UInt16(10_000 + $0)) }
        connections[777].attempts = [Example.packet(5000, 1)]
        var traffic = ObservedTraffic()
        traffic.connections = connections
        let timeline = RunTimeline(traffic, Example.record, initial: nil, asked: [:], evidence: [5000])
        #expect(timeline.connectionCount == 1000)
        #expect(timeline.connections.count == RunTimeline.connectionLimit)
        #expect(timeline.connections.contains { $0.packet == 5000 })
    }
}
