// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

struct JudgeTests {
    @Test func judgesTheCommandsEnd() throws {
        var run = JudgedRun()
        #expect(try run.verdict("completes within 10 s") == .pass)
        #expect(try run.verdict("completes within 9.9 s") == .fail)
        #expect(try run.verdict("exits with 0") == .pass && run.verdict("exits with 1") == .fail)
        run.record.outcome = .killed(9)
        #expect(try run.verdict("exits with 0") == .fail && run.verdict("completes within 10 s") == .fail)
        run.record.outcome = .timedOut
        #expect(try run.verdict("completes within 5 s") == .fail)
        #expect(try run.verdict("completes within 20 s") == .inconclusive)
        run.record.outcome = .notStarted(nil)
        #expect(try run.verdict("exits with 0") == .inconclusive)
    }

    @Test func measuresTheFirstByteFromTheFirstAttemptOrTheLabel() throws {
        var run = JudgedRun()
        try run.connect(at: 1000, answers: [1400, 5200])
        run.label("later", 5000, 6000)
        #expect(try run.verdict("first byte within 400 ms") == .pass)
        #expect(try run.verdict("first byte within 399 ms") == .fail)
        #expect(try run.verdict("first byte within 200 ms of 'later'") == .pass)
        #expect(try run.verdict("recovers within 199 ms of 'later'") == .fail)
        #expect(
            try run.judge("recovers within 100 ms of 'later'").finding
                == "the first byte of an answer came 200 ms after 'later'"
        )
        #expect(try run.verdict("first byte to 192.0.2.7:81 within 5 s") == .inconclusive)
    }

    @Test func tellsHowManyAttemptsFollowARecovery() throws {
        var run = JudgedRun()
        for begin in [900, 1000, 1400, 1999, 2000] { try run.connect(at: begin, isAccepted: false) }
        try run.connect(at: 2500, answers: [3200])
        run.label("out again", 1000, 9000)
        #expect(
            try run.judge("recovers within 5 s of 'out again'").finding
                == "the first byte of an answer came 2.2 s after 'out again'; 3 connection attempts in the first second"
        )
        run.traffic.connections[1].carrier = .udp
        #expect(
            try run.judge("recovers within 1 s of 'out again'").finding.hasSuffix(
                "; 2 connection attempts in the first second"
            )
        )
        #expect(
            try run.judge("recovers to 192.0.2.7:81 within 1 s of 'out again'").verdict == .inconclusive
        )
    }

    @Test func saysThatNothingWasAnswered() throws {
        var run = JudgedRun()
        #expect(try run.judge("first byte within 5 s").finding == "no connection was opened")
        try run.connect(at: 0, isAccepted: false)
        let judgement = try run.judge("first byte within 5 s")
        #expect(judgement.verdict == .fail && judgement.packets == [1] && judgement.remedy != nil)
    }

    @Test(arguments: [(1900, Verdict.pass), (2000, .pass), (2001, .fail), (9999, .fail)])
    func wantsWhatWasOpenAtALabelClosedInTime(_ closed: Int, _ verdict: Verdict) throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: closed)
        try run.connect(at: 0, closed: 900)
        try run.connect(at: 1100, closed: 9000)
        run.label("left", 1000, 10_000, .mark)
        let judgement = try run.judge("closes within 1 s of 'left'")
        #expect(judgement.verdict == verdict, "\(judgement.finding)")
    }

    @Test func cannotSayWhatClosesIfNothingIsOpen() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 900)
        run.label("left", 1000, 10_000, .mark)
        #expect(try run.verdict("closes within 1 s of 'left'") == .inconclusive)
        #expect(try run.verdict("closes within 1 s of 'gone'") == .inconclusive)
    }

    /// An attempt that is given up leaves no packet: the socket tells.
    @Test(arguments: [(2990, 3000, Verdict.pass), (3990, 4010, .inconclusive), (4005, 4030, .fail)])
    func takesTheSocketsWordForAttemptsGivenUp(_ last: Int, _ gone: Int, _ verdict: Verdict) throws {
        var run = JudgedRun()
        let index = try run.connect(at: 1000, isAccepted: false)
        let connection = run.traffic.connections[index]
        run.label("in the lift", 500, 9000)
        run.record.socketChanges = [
            RunRecord.SocketChange(
                .asked,
                of: SocketEnds(connection.client, connection.server),
                last: JudgedRun.at(last),
                gone: JudgedRun.at(gone)
            )
        ]
        let judgement = try run.judge("times out within 3 s of 'in the lift'")
        #expect(judgement.verdict == verdict && judgement.finding.contains(" was "), "\(judgement)")
        if verdict == .pass { #expect(judgement.finding.hasSuffix("given up 2 s after its start"), "\(judgement)") }
    }

    /// The kernel sends what a closed socket holds, and FIN after that: the client had let go before.
    @Test(arguments: [(3980, 3999, Verdict.pass), (3990, 4010, .inconclusive), (4005, 4030, .fail)], [nil, 8000])
    func takesTheSocketsWordForWhatWasClosed(_ seen: (Int, Int, Verdict), finish: Int?) throws {
        var run = JudgedRun()
        let index = try run.connect(at: 100, closed: finish)
        let connection = run.traffic.connections[index]
        run.label("in the lift", 1000, 9000)
        run.record.socketChanges = [
            RunRecord.SocketChange(
                .closed,
                of: SocketEnds(connection.client, connection.server),
                last: JudgedRun.at(seen.0),
                gone: JudgedRun.at(seen.1)
            )
        ]
        #expect(try run.verdict("times out within 3 s of 'in the lift'") == seen.2)
        #expect(try run.verdict("closes within 3 s of 'in the lift'") == seen.2)
    }

    /// The kernel answers an acceptance that nothing waits for with RST, much later.
    @Test func takesTheSocketsWordForAttemptsThatAreAcceptedTooLate() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 1000, isAccepted: false)
        run.traffic.connections[index].accepted = run.packet(7000)
        run.traffic.connections[index].endings = [Connection.Ending(.reset, by: .client, run.packet(7021))]
        let connection = run.traffic.connections[index]
        run.label("in the lift", 500, 6000)
        run.record.socketChanges = [
            RunRecord.SocketChange(
                .asked,
                of: SocketEnds(connection.client, connection.server),
                last: JudgedRun.at(2990),
                gone: JudgedRun.at(3015)
            )
        ]
        let judgement = try run.judge("times out within 3 s of 'in the lift'")
        #expect(judgement.verdict == .pass && judgement.packets == [1], "\(judgement.finding)")
    }

    @Test func takesFINForTheEndIfItCameFirst() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 100, closed: 3999)
        let connection = run.traffic.connections[index]
        run.label("in the lift", 1000, 9000)
        run.record.socketChanges = [
            RunRecord.SocketChange(
                .closed,
                of: SocketEnds(connection.client, connection.server),
                last: JudgedRun.at(3990),
                gone: JudgedRun.at(4015)
            )
        ]
        #expect(try run.verdict("closes within 3 s of 'in the lift'") == .pass)
    }

    @Test func asksOnlyWhatGetsNoAnswerToTimeOut() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [1500, 4000, 6900, 9600], closed: 9800)
        run.label("slow", 1000, 9500)
        #expect(try run.verdict("times out within 3 s of 'slow'") == .inconclusive)
        try run.connect(at: 1200, closed: 4300)
        #expect(try run.verdict("times out within 3 s of 'slow'") == .fail)
    }

    /// Packets that were under way when the link went dark are no answer for ever.
    @Test(arguments: [(5100, Verdict.pass), (5300, .fail)])
    func countsTheWaitFromTheLastAnswer(_ closed: Int, _ verdict: Verdict) throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [900, 1300, 2200], closed: closed)
        run.label("dark", 1000, 9500)
        let judgement = try run.judge("times out within 3 s of 'dark'")
        let time = closed == 5100 ? "2.9 s" : "3.1 s"
        #expect(judgement.verdict == verdict, "\(judgement)")
        #expect(judgement.finding.hasSuffix(" was closed \(time) after its last answer"), "\(judgement)")
    }

    @Test func doesNotJudgeAWaitThatTheLabelCutShort() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [6000], closed: 7000)
        run.label("dark", 1000, 2000)
        #expect(try run.verdict("times out within 3 s of 'dark'") == .inconclusive)
    }

    @Test func countsConnectionsThatWereOpenAndAttemptsThatBegan() throws {
        var run = JudgedRun()
        try run.connect(at: 0, closed: 5000)
        try run.connect(at: 100, closed: 900)
        try run.connect(at: 2000, isAccepted: false)
        run.label("second search", 1000, 4000)
        #expect(
            try run.judge("at most 9 connections during 'second search'").finding
                == "2 connections during 'second search'"
        )
        #expect(try run.verdict("at most 1 connection during 'second search'") == .fail)
        #expect(try run.verdict("at most 1 connection attempt during 'second search'") == .pass)
        #expect(try run.verdict("at most 2 connections") == .fail)
        run.traffic.connections[2].carrier = .udp
        #expect(try run.verdict("at most 2 connections") == .pass)
        #expect(try run.verdict("at most 0 connections to 192.0.2.7:81") == .pass)
    }

    @Test(arguments: [
        (CommandEnd.exited(3), "the command ended after 10 s", Verdict.pass, "the command ended after 10 s"),
        (.timedOut, "the command was ended after 10 s by --timeout", .inconclusive, "the command was ended after 10 s"),
        (
            .failedFast, "the command was ended after 10 s by --fail-fast", .inconclusive,
            "the command was ended after 10 s"
        ),
        (.killed(9), "signal 9 ended the command after 10 s", .fail, "signal 9 ended the command after 10 s"),
    ])
    func tellsHowTheCommandEnded(outcome: CommandEnd, words: String, verdict: Verdict, late: String) throws {
        var run = JudgedRun()
        run.record.outcome = outcome
        let (inTime, tooLate) = (try run.judge("completes within 10 s"), try run.judge("completes within 9 s"))
        #expect(inTime.finding == words && inTime.verdict == verdict)
        #expect(tooLate.finding == late && tooLate.verdict == .fail)
    }

    @Test func findsTheRequestThatIsSentAgain() throws {
        var run = JudgedRun()
        let first = try run.connect(at: 0, closed: 500)
        let second = try run.connect(at: 600)
        let post = { (run: inout JudgedRun, at: Int) in
            var request = ObservedRequest(method: "POST", target: "/order", packet: run.packet(at))
            request.body = ObservedRequest.Body()
            return request
        }
        run.traffic.connections[first].requests = [post(&run, 100)]
        var again = post(&run, 700)
        (again.answer, again.completed) = (run.packet(800), run.packet(801))
        run.traffic.connections[second].requests = [again]
        #expect(try run.verdict("sends no request twice") == .fail)
        // Two queries of GraphQL to one URL are two requests.
        run.traffic.connections[first].requests[0].body?.add([1])
        #expect(try run.verdict("sends no request twice") == .pass)
        run.traffic.connections[first].requests[0].body = nil
        #expect(try run.judge("sends no request twice").finding.contains("not all of its body was seen"))
        #expect(try run.verdict("sends no request twice") == .inconclusive)
        run.traffic.connections[first].requests[0].body = ObservedRequest.Body()
        run.traffic.connections[first].requests[0].contentType = "text/plain"
        #expect(try run.verdict("sends no request twice") == .pass)
        run.traffic.connections[first].requests[0].method = "GET"
        #expect(try run.verdict("sends no request twice") == .pass)
        run.traffic.connections[first].requests[0] = again
        #expect(try run.verdict("sends no request twice") == .pass, "the first was answered")
    }

    /// The client had closed when the answer to the first came, and its kernel refused it.
    @Test func failsWhoSendsAgainWhatIsAnsweredTooLate() throws {
        var run = JudgedRun()
        for start in [0, 1000] {
            let index = try run.connect(at: start)
            var request = ObservedRequest(method: "POST", target: "/order", packet: run.packet(start + 100))
            request.body = ObservedRequest.Body()
            (request.answer, request.completed) = (run.packet(start + 3000), run.packet(start + 3001))
            run.traffic.connections[index].requests = [request]
            run.traffic.connections[index].answers = [run.packet(start + 3000)]
        }
        var refusal = Connection.Ending(.reset, by: .client, run.packet(3010))
        refusal.isOfKernel = true
        run.traffic.connections[0].endings = [Connection.Ending(.finish, by: .client, run.packet(900)), refusal]
        #expect(try run.verdict("sends no request twice") == .fail)
        run.traffic.connections[0].endings = [Connection.Ending(.finish, by: .client, run.packet(4000))]
        #expect(try run.verdict("sends no request twice") == .pass)
    }

    /// Two equal requests side by side may be two: the first's connection had not failed when the second was sent.
    @Test func failsNoRequestThatWasSentWhileItsLikeWasUnderWay() throws {
        var run = JudgedRun()
        for start in [0, 10] {
            let index = try run.connect(at: start)
            var request = ObservedRequest(method: "POST", target: "/order", packet: run.packet(start + 100))
            request.body = ObservedRequest.Body()
            run.traffic.connections[index].requests = [request]
        }
        let open = run.traffic.connections.map { RunRecord.OpenSocket(SocketEnds($0.client, $0.server)) }
        run.record.openAtEnd = open
        let judgement = try run.judge("sends no request twice")
        #expect(judgement.verdict == .inconclusive && judgement.finding.contains("still under way"), "\(judgement)")
        // Ended together, with the command.
        run.record.openAtEnd = []
        for index in 0...1 {
            run.traffic.connections[index].endings = [Connection.Ending(.finish, by: .client, run.packet(9_990))]
        }
        #expect(try run.verdict("sends no request twice") == .inconclusive)
        // Once the server has closed, or the client has, what is sent again is a repetition.
        for (side, time) in [(Connection.Side.server, 85), (.client, 105)] {
            run.traffic.connections[0].endings = [Connection.Ending(.finish, by: side, run.packet(time))]
            #expect(try run.verdict("sends no request twice") == .fail)
        }
        // Without a packet, since data waits on a dead link.
        run.traffic.connections[0].endings = []
        let ends = open[0].socket
        run.record.socketChanges = [
            RunRecord.SocketChange(.closed, of: ends, last: JudgedRun.at(101), gone: JudgedRun.at(108))
        ]
        #expect(try run.verdict("sends no request twice") == .fail)
        // It may have been closed after the second was sent.
        run.record.socketChanges = [
            RunRecord.SocketChange(.closed, of: ends, last: JudgedRun.at(101), gone: JudgedRun.at(130))
        ]
        #expect(try run.verdict("sends no request twice") == .inconclusive)
        run.record.socketChanges = [
            RunRecord.SocketChange(.closed, of: ends, last: JudgedRun.at(300), gone: JudgedRun.at(330))
        ]
        #expect(try run.verdict("sends no request twice") == .inconclusive)
        // On one connection, a stream that was reset.
        run.traffic.connections[0].requests[0].reset = JudgedRun.at(105)
        #expect(try run.verdict("sends no request twice") == .fail)
    }

    @Test func findsWhatAProcessLeftOpen() throws {
        var run = JudgedRun()
        let index = try run.connect(at: 0)
        let connection = run.traffic.connections[index]
        // The server's side of it, too.
        run.record.openAtEnd = [RunRecord.OpenSocket(SocketEnds(connection.server, connection.client))]
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.record.openAtEnd = [
            RunRecord.OpenSocket(SocketEnds(connection.client, connection.server), owner: "curl (7)")
        ]
        let judgement = try run.judge("leaves no connection open")
        #expect(judgement.verdict == .fail && judgement.finding.contains("held by curl (7)"))
    }

    @Test func countsTheRetransmissionsOfTheClientOnly() throws {
        var run = JudgedRun()
        try run.connect(at: 0, answers: [1000])
        run.traffic.connections[0].retransmissions = [
            Retransmission(by: .server, run.packet(500), isOpening: false),
            Retransmission(by: .client, run.packet(600), isOpening: false),
            Retransmission(by: .server, run.packet(700), isOpening: false),
        ]
        #expect(try run.verdict("at most 1 retransmission") == .pass)
        #expect(try run.verdict("at most 0 retransmissions") == .fail)
    }
}
