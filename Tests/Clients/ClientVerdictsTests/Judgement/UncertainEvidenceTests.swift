// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// What the evidence leaves open is no verdict.
@Suite struct UncertainEvidenceTests {
    /// A connection that was closed between two looks at the sockets, with a label between them.
    private static func closedBesideALabel() throws -> JudgedRun {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        run.record.socketChanges = [
            .init(
                .closed,
                of: SocketEnds(of: run.traffic.connections[0]),
                last: JudgedRun.at(990),
                gone: JudgedRun.at(1015)
            )
        ]
        run.label("m", 1000, 10_000, .mark)
        return run
    }

    @Test(arguments: [
        "at most 0 connections during 'm'", "closes within 1 s of 'm'", "times out within 1 s of 'm'",
        "at most 0 connections at a time during 'm'",
    ])
    func isWhetherAConnectionWasStillOpenAtALabel(expectation: String) throws {
        var run = try Self.closedBesideALabel()
        #expect(try run.verdict(expectation) == .inconclusive)
        run.record.socketChanges[0].last = JudgedRun.at(1005)
        #expect(try run.verdict(expectation) != .inconclusive)
    }

    /// The kernel of a client that has given up refuses what accepts it then.
    @Test func isWhetherAnAttemptWasGivenUpThatWasAcceptedLater() throws {
        var run = JudgedRun()
        for _ in 0..<2 { try run.connect(at: 100) }
        run.traffic.connections[0].accepted = run.packet(1100)
        let socket = SocketEnds(of: run.traffic.connections[0])
        run.record.socketChanges = [.init(.asked, of: socket, last: JudgedRun.at(990), gone: JudgedRun.at(1015))]
        run.record.openAtEnd = [.init(SocketEnds(of: run.traffic.connections[1]))]
        run.label("m", 1000, 10_000, .mark)
        #expect(try run.verdict("at most 1 connection at a time during 'm'") == .inconclusive)
    }

    /// The packet that ended it may be missing.
    @Test func isHowManyConnectionsALabelHadWhereAnEndMayBeMissing() throws {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        run.label("m", 1000, 10_000, .mark)
        #expect(try run.verdict("at most 0 connections during 'm'") == .fail)
        run.traffic.link.missing = 1
        #expect(try run.verdict("at most 0 connections during 'm'") == .inconclusive)
        // What was opened stays opened.
        #expect(try run.verdict("at most 0 connections") == .fail)
    }

    @Test func isWhatIsOpenWhereItsPacketsAreMissing() throws {
        var run = JudgedRun()
        try run.connect(at: 100, closed: 200)
        let client = run.traffic.connections[0].client
        let unseen = SocketEnds(Endpoint(client.address, 9), run.traffic.connections[0].server)
        run.record.openAtEnd = [.init(unseen)]
        #expect(try run.verdict("leaves no connection open") == .pass)
        run.traffic.link.missing = 1
        #expect(try run.verdict("leaves no connection open") == .inconclusive)
    }

    @Test func isWhetherAConnectionWasGivenUpWhereTheRecordOfSocketsEndsEarly() throws {
        var run = JudgedRun()
        try run.connect(at: 9_000, answers: [9_100])
        run.label("m", 8_000, 10_000, .mark)
        #expect(try run.verdict("times out within 2 s of 'm'") == .pass)
        run.record.isComplete = false
        #expect(try run.verdict("times out within 2 s of 'm'") == .inconclusive)
    }

    /// The label was over before the limit was; what came to a client that had given up is no answer.
    @Test func isWhetherItWouldHaveWaitedWhereTheAnswerCameAfterItsEnd() throws {
        var run = JudgedRun()
        try run.connect(at: 1_100, answers: [3_200], closed: 3_000)
        run.traffic.connections[0].endings[0].kind = .reset
        try run.connect(at: 900, closed: 1_200)
        run.label("m", 1_000, 2_500)
        #expect(try run.verdict("times out within 3 s of 'm'") == .inconclusive)
    }

    /// Bytes are kept by pieces of 10 ms.
    @Test(arguments: [(99, Verdict.fail), (100, .inconclusive), (150, .inconclusive), (300, .pass)])
    func isOfWhichTimeBytesAreWhereALabelBegins(limit: Int, verdict: Verdict) throws {
        var run = JudgedRun()
        try run.connect(at: 100)
        run.traffic.connections[0].volume = [
            Volume(JudgedRun.at(1000), SideCounts(client: 200)), Volume(JudgedRun.at(1010), SideCounts(client: 100)),
        ]
        run.label("m", 1003, 10_000, .mark)
        #expect(try run.verdict("at most \(limit) bytes during 'm'") == verdict)
    }

    /// A packet that opened a connection, of which the link has changed a bit: nothing tells its ports.
    @Test(arguments: [
        "at most 1 connection attempt", "at most 1 connection", "at most 1 connection at a time",
        "times out within 1 s of 'm'", "at most 0 DNS queries",
    ])
    func isWhatADamagedPacketWas(expectation: String) throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 1_000_010)
        capture.server([.reset, .acknowledgment], 0, ack: 1, at: 1_000_030)
        let verdict = { (capture: TestCapture) in
            var run = JudgedRun()
            run.traffic = capture.traffic
            run.label("m", 0, 10_000, .mark)
            return try run.verdict(expectation)
        }
        #expect(try verdict(capture) == .pass)
        if expectation.contains("DNS") { capture.template.serverPort = 53 }
        capture.template.clientPort = 44_444
        if expectation.contains("DNS") {
            capture.datagram([1, 2, 3], at: 1_000_100, .damaged(20))
        } else {
            capture.client(.syn, 0, at: 1_000_100, .damaged(20))
        }
        #expect(try verdict(capture) == .inconclusive)
    }

    /// A request that was sent once, in a packet of which the link has changed a bit; the client gave up before it was sent
    /// again.
    @Test(arguments: ["at most 2 requests", "sends no request twice"])
    func isWhatADamagedPacketAskedFor(expectation: String) throws {
        let request = Array("GET / HTTP/1.1\r\nhost: a.test\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".utf8)
        let (asked, answered) = (UInt32(request.count), UInt32(answer.count))
        for (link, verdict) in [(TestCapture.Link.after(20), Verdict.pass), (.damaged(20), .inconclusive)] {
            var capture = TestCapture()
            capture.client(.syn, 0, at: 1_000_010)
            capture.server(.answer, 0, ack: 1, at: 1_000_030)
            capture.client(.data, 1, ack: 1, request, at: 1_000_060)
            capture.server(.data, 1, ack: 1 + asked, answer, at: 1_000_090)
            capture.client(.data, 1 + asked, ack: 1 + answered, request, at: 1_000_120, link)
            capture.client(.end, 1 + 2 * asked, ack: 1 + answered, at: 1_000_130)
            var run = JudgedRun()
            run.traffic = capture.traffic
            #expect(try run.verdict(expectation) == verdict, "\(link)")
        }
    }
}
