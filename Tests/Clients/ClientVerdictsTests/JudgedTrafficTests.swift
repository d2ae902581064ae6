// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// What of a run's traffic is the client's.
struct JudgedTrafficTests {
    private func probe(_ connection: Connection, at time: Int, isTCP: Bool = true) -> RunRecord.Probe {
        RunRecord.Probe(
            time: JudgedRun.at(time),
            socket: SocketEnds(connection.client, connection.server, isTCP: isTCP)
        )
    }

    @Test func doesNotCountTheMonitorsConnections() throws {
        var run = JudgedRun()
        try run.connect(at: 0)
        let index = try run.connect(at: 1000)
        try run.connect(at: 2000)
        #expect(try run.verdict("at most 2 connections") == .fail)
        run.record.probes = [probe(run.traffic.connections[index], at: 1010)]
        #expect(try run.verdict("at most 2 connections") == .pass)
        #expect(
            JudgedTraffic(run.traffic, of: run.record).traffic.connections.compactMap(\.attempts.first?.number) == [
                1, 5,
            ]
        )
    }

    /// The kernel may give a port to the client that a probe has had before.
    @Test func tellsAProbeFromALaterConnectionWithItsPort() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 0)
        var later = run.traffic.connections[index]
        later.attempts = [run.packet(1500)]
        run.traffic.connections.append(later)
        run.record.probes = [probe(later, at: 20)]
        let left = JudgedTraffic(run.traffic, of: run.record).traffic.connections
        #expect(left.map(\.attempts) == [later.attempts])
        run.record.probes = [probe(later, at: 9000), probe(later, at: 0, isTCP: false)]
        #expect(JudgedTraffic(run.traffic, of: run.record).traffic.connections.count == 2)
    }

    @Test func doesNotCountTheMonitorsQueries() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 0)
        let ends = run.traffic.connections[index]
        for (time, port) in [(100, UInt16(5000)), (200, 5001)] {
            let client = Endpoint(ends.client.address, port)
            run.traffic.nameQueries.append(
                NameQuery(name: "a.test", type: 1, packet: run.packet(time), client: client, server: ends.server)
            )
        }
        var asked = ends
        asked.client.port = 5001
        #expect(try run.verdict("at most 1 DNS query") == .fail)
        run.record.probes = [probe(asked, at: 201, isTCP: false)]
        #expect(try run.verdict("at most 1 DNS query") == .pass)
    }

    @Test func namesTheProcessThatHeldAConnection() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 0, closed: 3000)
        let connection = run.traffic.connections[index]
        for time in [20, 50] {
            run.record.owners.append(
                RunRecord.Owner(
                    time: JudgedRun.at(time),
                    socket: SocketEnds(connection.client, connection.server),
                    name: "curl (7)"
                )
            )
        }
        run.label("left", 1000, 10_000, .mark)
        #expect(
            try run.judge("closes within 1 s of 'left'").finding
                == "the connection of curl (7) to 192.0.2.7:80 of packet 1 was closed 2 s after 'left'"
        )
        #expect(try run.judge("at most 0 connections").finding == "1 connection, by curl (7), to 192.0.2.7:80")
        run.record.owners = [
            RunRecord.Owner(
                time: JudgedRun.at(-5),
                socket: SocketEnds(connection.client, connection.server),
                name: "sh (3)"
            )
        ]
        #expect(try run.judge("at most 0 connections").finding == "1 connection, to 192.0.2.7:80")
    }

    /// They are no connection, and count as bytes nevertheless.
    @Test func countsTheBytesOfMessages() throws {
        var capture = TestQueries.capture()
        capture.datagram(TestQueries.query("a.test"), at: 0, .lost)
        capture.datagram(TestQueries.query("a.test"), at: 500)
        capture.datagram(TestQueries.query("a.test"), at: 500, .copy(30))
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 520)
        var run = JudgedRun()
        run.traffic = capture.traffic
        // Headers of 28 bytes, and 24 of a query, 60 of an answer.
        let bytes = 2 * 52 + 88
        #expect(try run.judge("at most \(bytes - 1) bytes").finding == "\(bytes) bytes")
        #expect(try run.verdict("at most \(bytes) bytes") == .pass)
        #expect(try run.verdict("first byte within 10 s") == .inconclusive)
        // A monitor's are not the client's.
        let message = try #require(run.traffic.nameMessages.first)
        let ends = SocketEnds(message.client, message.server, isTCP: false)
        run.record.probes = [RunRecord.Probe(time: message.sent, socket: ends)]
        #expect(try run.judge("at most 0 bytes").finding == "0 bytes")
    }
}
