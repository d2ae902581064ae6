// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// A part of a run: a test of a suite is judged by what came since its begin.
struct PartTests {
    /// A part that begins after the first connection, which was answered.
    private func part() throws -> JudgedRun {
        var run = JudgedRun()
        try run.connect(at: 1000, answers: [1100])
        run.record.limit(to: JudgedRun.at(5000), JudgedRun.at(9000))
        return run
    }

    @Test func takesTheFirstByteOfItsOwnAttempts() throws {
        var run = try part()
        #expect(try run.judge("first byte within 5 s").finding == "no connection was opened")
        try run.connect(at: 6000, isAccepted: false)
        #expect(try run.verdict("first byte within 5 s") == .fail)
        try run.connect(at: 6500, answers: [7000])
        #expect(try run.judge("first byte within 5 s").finding.contains("1 s after the first attempt"))
    }

    @Test func countsItsOwnBytes() throws {
        var run = try part()
        (run.traffic.connections[0].bytes.client, run.traffic.connections[0].bytes.server) = (500, 500)
        #expect(try run.verdict("at most 0 bytes") == .pass)
    }

    @Test func saysNothingOfTheCommandsEnd() throws {
        #expect(try part().verdict("exits with 0") == .skipped)
    }

    /// What the link still holds may be what is counted, or the answer that is missing.
    @Test func isInDoubtWhereTheLinkHoldsPackets() throws {
        var run = try part()
        try run.connect(at: 6000, isAccepted: false)
        #expect(try run.verdict("at most 1 connection attempt") == .pass)
        run.record.packetsOnTheLink = 2
        let judgement = try run.judge("at most 1 connection attempt")
        #expect(judgement.verdict == .inconclusive, "\(judgement)")
        #expect(judgement.finding.hasSuffix("but 2 packets had not left the link"), "\(judgement)")
        #expect(try run.verdict("first byte within 1 s") == .inconclusive)
        #expect(try run.verdict("at most 0 connection attempts") == .fail)
    }

    /// Nothing has seen the first packets of what was connected before: for a part, it is somebody else's.
    @Test func isInDoubtWhereOlderConnectionsAreOpen() throws {
        var run = JudgedRun()
        let connection = run.traffic.connections[try run.connect(at: 1000)]
        let socket = RunRecord.OpenSocket(SocketEnds(connection.client, connection.server))
        run.traffic.connections = []
        run.record.olderSockets = [socket]
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.openAtEnd = [socket]
        for text in ["leaves no connection open", "at most 1 connection"] {
            let judgement = try run.judge(text)
            #expect(judgement.verdict == .inconclusive, "\(judgement)")
            #expect(judgement.finding.contains("before the observation began"), "\(judgement)")
        }
        #expect(try run.verdict("at most 1 request") == .pass)
        run.record.limit(to: JudgedRun.at(5000), JudgedRun.at(9000))
        for text in ["leaves no connection open", "at most 1 connection"] {
            #expect(try run.verdict(text) == .pass)
        }
    }

    /// A pool of a wider scope is open during the whole part, and idle.
    @Test func countsOnlyWhatBeganInIt() throws {
        var run = try part()
        run.record.openAtEnd = [RunRecord.OpenSocket(SocketEnds(of: run.traffic.connections[0]))]
        #expect(try run.verdict("at most 0 connections") == .pass)
        #expect(try run.verdict("at most 0 connections at a time") == .pass)
        run.label("left", 6000, 9000, .mark)
        #expect(try run.verdict("times out within 1 s of 'left'") == .inconclusive)
        #expect(try run.verdict("closes within 1 s of 'left'") == .inconclusive)
        // Used in the part, it is waited for.
        run.traffic.connections[0].clientPackets.append(run.packet(5500))
        #expect(try run.verdict("times out within 1 s of 'left'") == .fail)
    }

    /// An earlier test may have leaked it, or a session may own it.
    @Test func leavesWhatIsOpenSinceBeforeToOthers() throws {
        var run = try part()
        let later = try run.connect(at: 6000)
        let sockets = run.traffic.connections.map { RunRecord.OpenSocket(SocketEnds($0.client, $0.server)) }
        run.record.openAtEnd = sockets.dropLast()
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.openAtEnd = [sockets[later]]
        #expect(try run.verdict("leaves no connection open") == .fail)
        run.record.beginsLater = false
        run.record.openAtEnd = sockets.dropLast()
        #expect(try run.verdict("leaves no connection open") == .fail)
    }

    @Test func isInDoubtWhereTheRecordEndsEarly() throws {
        var run = JudgedRun()
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.isComplete = false
        #expect(try run.verdict("leaves no connection open") == .inconclusive)
        #expect(try run.verdict("completes within 10 s") == .pass)
    }
}
