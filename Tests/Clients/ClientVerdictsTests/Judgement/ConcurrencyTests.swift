// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// `at most 2 connections at a time`
struct ConcurrencyTests {
    @Test func countsWhatWasOpenAtTheSameTime() throws {
        var run = JudgedRun()
        for begin in [0, 1000, 2000, 3000] { try run.connect(at: begin, closed: begin + 1000) }
        #expect(try run.verdict("at most 1 connection") == .fail)
        #expect(try run.judge("at most 1 connection at a time").finding == "1 connection at a time")
        try run.connect(at: 1500, closed: 2500)
        let judgement = try run.judge("at most 1 connection at a time")
        #expect(judgement.verdict == .fail && judgement.finding.hasPrefix("2 connections at a time, to "))
        #expect(judgement.packets.count == 2)
        #expect(try run.verdict("at most 2 connections at a time") == .pass)
    }

    @Test func countsInTheTimeOfALabel() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 5000)
        try run.connect(at: 0, closed: 900)
        try run.connect(at: 4000, closed: 6000)
        run.label("typing", 1000, 3000, .mark)
        #expect(try run.judge("at most 1 connection at a time during 'typing'").verdict == .pass)
        #expect(try run.judge("at most 1 connection at a time").verdict == .fail)
    }

    /// The socket was seen for the last time at one moment, and was gone at another.
    @Test func cannotSayWhereAnEndIsNotKnown() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 0)
        let connection = run.traffic.connections[index]
        try run.connect(at: 1010, closed: 2000)
        run.record.socketChanges = [
            RunRecord.SocketChange(
                .closed,
                of: SocketEnds(connection.client, connection.server),
                last: JudgedRun.at(1000),
                gone: JudgedRun.at(1025)
            )
        ]
        let judgement = try run.judge("at most 1 connection at a time")
        #expect(judgement.verdict == .inconclusive && judgement.finding.hasPrefix("between 1 and 2"))
    }
}
