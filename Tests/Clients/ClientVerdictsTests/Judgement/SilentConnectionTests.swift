// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// Connections of which no packet tells how long the client had them.
@Suite struct SilentConnectionTests {
    /// Two connections from the same port: of the first, nothing tells the end.
    private static func withPortUsedAgain() throws -> JudgedRun {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        try run.connect(at: 4000, answers: [4100])
        run.traffic.connections[1].client = run.traffic.connections[0].client
        run.label("m", 500, 10_000, .mark)
        return run
    }

    @Test func haveNotTheEndOfALaterOneWithTheSamePorts() throws {
        var run = try Self.withPortUsedAgain()
        let socket = SocketEnds(of: run.traffic.connections[1])
        run.record.socketChanges = [
            .init(.closed, of: socket, last: JudgedRun.at(5000), gone: JudgedRun.at(5020))
        ]
        let judgement = try run.judge("closes within 1 s of 'm'")
        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.finding.contains("between"))
    }

    @Test func areNotOpenWhereALaterOneHasTheirPorts() throws {
        var run = try Self.withPortUsedAgain()
        run.record.openAtEnd = [.init(SocketEnds(of: run.traffic.connections[1]))]
        #expect(try run.judge("closes within 1 s of 'm'").verdict == .inconclusive)
        #expect(try run.judge("at most 1 connection at a time").verdict == .pass)
    }

    /// The client has nothing left to close.
    @Test func areOverWhenTheServerResetsThem() throws {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        run.label("m", 1000, 10_000, .mark)
        #expect(try run.verdict("closes within 1 s of 'm'") == .inconclusive)
        run.traffic.connections[0].endings = [Connection.Ending(.reset, by: .server, run.packet(1500))]
        #expect(try run.verdict("closes within 1 s of 'm'") == .pass)
    }

    /// TCP_USER_TIMEOUT, or tcp_retries2: no packet tells of it.
    @Test func areOverWhenTheKernelGivesThemUp() throws {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        run.label("m", 1000, 10_000)
        run.traffic.connections[0].clientPackets.append(run.packet(1900, lost: true))
        run.traffic.connections[0].volume = [0, 1000, 1900].map {
            Volume(JudgedRun.at($0), SideCounts(client: 100))
        }
        let socket = SocketEnds(of: run.traffic.connections[0])
        #expect(try run.verdict("times out within 2 s of 'm'") == .inconclusive)
        #expect(try run.verdict("sends keep-alives at least every 3 s") == .fail)
        let removed = RunRecord.SocketChange(.removed, of: socket, last: JudgedRun.at(2480), gone: JudgedRun.at(2500))
        run.record.socketChanges = [removed]
        for text in [
            "times out within 2 s of 'm'", "closes within 2 s of 'm'", "sends keep-alives at least every 2 s",
        ] {
            #expect(try run.verdict(text) == .pass, "\(text)")
        }
        #expect(try run.verdict("times out within 1 s of 'm'") == .fail)
        // The server's data comes later, and the kernel refuses it.
        var refusal = Connection.Ending(.reset, by: .client, run.packet(5000))
        refusal.isOfKernel = true
        run.traffic.connections[0].endings = [refusal]
        #expect(try run.verdict("closes within 2 s of 'm'") == .pass)
        // The packets tell more exactly.
        run.traffic.connections[0].endings = [Connection.Ending(.finish, by: .client, run.packet(5000))]
        #expect(try run.verdict("closes within 2 s of 'm'") == .fail)
        run.traffic.connections[0].endings = [Connection.Ending(.reset, by: .server, run.packet(1480))]
        #expect(try run.judge("closes within 1 s of 'm'").finding.contains("was reset by the server 500 ms after 'm'"))
    }

    /// An attempt of which no sample tells the end was given up between two of them.
    @Test func areGivenUpWithinAFewSamplesOfTheirLastPacket() throws {
        var run = JudgedRun()
        run.record.samplingPeriod = .milliseconds(20)
        try run.connect(at: 100, isAccepted: false)
        run.label("m", 0, 10_000, .mark)
        #expect(try run.verdict("times out within 1 s of 'm'") == .pass)
        #expect(try run.verdict("times out within 50 ms of 'm'") == .inconclusive)
    }

    /// As where the label was set once.
    @Test(arguments: [1, 2])
    func ofQUICMayLastAtEachLabel(labels: Int) throws {
        var run = JudgedRun()
        try run.connect(at: 100, answers: [200])
        run.traffic.connections[0].carrier = .quic
        try run.connect(at: 5100, answers: [5200], closed: 5300)
        for begin in [5000, 8000].prefix(labels) { run.label("m", begin, begin + 1000, .mark) }
        let judgement = try run.judge("at most 1 connection at a time during 'm'")
        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.finding.contains("between 1 and 2"))
    }
}
