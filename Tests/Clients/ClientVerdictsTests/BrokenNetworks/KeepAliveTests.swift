// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `sends keep-alives at least every 2 s`
struct KeepAliveTests {
    private static let expectation = "sends keep-alives at least every 2 s"

    /// A client whose packets on one connection are sent at these times; the command ends after 10 s.
    private func run(
        _ times: [Int],
        carrier: Connection.Carrier = .tcp,
        server: [Int] = [],
        closed: Int? = nil
    ) throws -> JudgedRun {
        var run = JudgedRun()
        let index = try run.connect(at: times[0], closed: closed)
        run.traffic.connections[index].carrier = carrier
        run.set(index, sent: times, received: server)
        return run
    }

    @Test func tellsTheLongestGap() throws {
        let pass = try run([0, 1500, 3000, 4900, 6500, 8300]).judge(Self.expectation)
        #expect(pass.verdict == .pass, "\(pass)")
        #expect(
            pass.finding
                == "the longest gap is 1.9 s, from 3 s after the start of the connection to 192.0.2.7:80 of packet 1"
        )
        let fail = try run([0, 1500, 5000, 6500, 8300]).judge(Self.expectation)
        #expect(
            fail.verdict == .fail && fail.finding.hasPrefix("the longest gap is 3.5 s, from 1.5 s after"),
            "\(fail)"
        )
        #expect(fail.remedy?.contains("TCP_KEEPIDLE") == true)
    }

    /// The gap to the end of the command counts as long as the client has the connection.
    @Test func countsUntilTheClientLetsGo() throws {
        #expect(try run([0, 1500]).verdict(Self.expectation) == .fail)
        #expect(try run([0, 1500, 3000], closed: 3000).verdict(Self.expectation) == .pass)
        var finished = try run([0, 1500, 3000])
        finished.traffic.connections[0].endings = [.init(.finish, by: .server, finished.packet(3100))]
        #expect(try finished.verdict(Self.expectation) == .pass)
    }

    @Test func judgesNoShortConnection() throws {
        let judgement = try run([0, 100], closed: 1500).judge(Self.expectation)
        #expect(judgement.verdict == .inconclusive && judgement.finding == "no connection was open for longer than 2 s")
        var refused = JudgedRun()
        try refused.connect(at: 0, isAccepted: false)
        refused.set(0, sent: [0, 1000, 3000, 7000])
        #expect(try refused.verdict(Self.expectation) == .inconclusive)
        // Another one does not help.
        var two = try run([0, 1500, 5000, 6500, 8300])
        try two.connect(at: 0, closed: 100)
        two.set(1, sent: [0, 100])
        #expect(try two.verdict(Self.expectation) == .fail)
        #expect(try two.verdict("sends keep-alives to 192.0.2.8 at least every 2 s") == .inconclusive)
    }

    /// Of UDP no packet tells the end.
    @Test(arguments: [Connection.Carrier.udp, .quic]) func judgesDatagramsUntilTheLast(carrier: Connection.Carrier)
        throws
    {
        let all = [0, 1500, 3000, 4500, 6000, 7500, 9000]
        #expect(try run(all, carrier: carrier).verdict(Self.expectation) == .pass)
        #expect(try run([0, 1500, 9000], carrier: carrier).verdict(Self.expectation) == .fail)
        // The server's show that it was in use.
        #expect(try run([0, 1500], carrier: carrier, server: [9000]).verdict(Self.expectation) == .fail)
        let silent = try run([0, 1500, 3000], carrier: carrier).judge(Self.expectation)
        #expect(
            silent.verdict == .inconclusive && silent.finding.contains("was still open in the 7 s after"),
            "\(silent)"
        )
        let short = try run([0, 20], carrier: carrier).judge(Self.expectation)
        #expect(short.finding.hasPrefix(carrier == .udp ? "no connection was open" : "no packet tells"), "\(short)")
    }

    @Test func isInDoubtWhereTheEvidenceIs() throws {
        // The times are known within 10 ms.
        #expect(try run([0, 1500, 3500, 5000, 6500, 8300]).verdict(Self.expectation) == .inconclusive)
        var run = try run([0, 1500, 5000, 6500, 8300])
        run.traffic.link.missing = 1
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.missing = 0
        run.traffic.link.unplaced.outbound = [JudgedRun.at(3000)]
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.unplaced.outbound = []
        run.stall(1500, 5000, 2000)
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        // Closed between two looks at the sockets.
        var closed = try self.run([0, 1500])
        let socket = SocketEnds(of: closed.traffic.connections[0])
        closed.record.socketChanges = [.init(.closed, of: socket, last: JudgedRun.at(3300), gone: JudgedRun.at(3600))]
        #expect(try closed.verdict(Self.expectation) == .inconclusive)
        closed.record.socketChanges = [.init(.closed, of: socket, last: JudgedRun.at(3000), gone: JudgedRun.at(3030))]
        #expect(try closed.verdict(Self.expectation) == .pass)
    }

    /// A probe of TCP carries nothing, and neither does the answer to one.
    @Test func countsPacketsWithoutData() throws {
        for (probe, verdict) in [(true, Verdict.pass), (false, .fail)] {
            var capture = TestCapture()
            capture.client(.syn, 0, at: 1_000_000)
            capture.server(.answer, 0, ack: 1, at: 1_000_020)
            capture.client(.acknowledgment, 1, ack: 1, at: 1_000_040)
            for second in 1..<10 where probe {
                capture.client(.acknowledgment, 0, ack: 1, at: 1_000_000 + second * 1000)
            }
            var run = JudgedRun()
            run.traffic = capture.traffic
            #expect(try run.verdict(Self.expectation) == verdict)
        }
    }

    /// A bit of its ports is another one.
    @Test func isInDoubtWhereAProbeWasDamaged() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 1_000_000)
        capture.server(.answer, 0, ack: 1, at: 1_000_020)
        capture.client(.acknowledgment, 1, ack: 1, at: 1_000_040)
        capture.template.clientPort ^= 1
        capture.client(.acknowledgment, 0, ack: 1, at: 1_005_000, .damaged(20))
        var run = JudgedRun()
        run.traffic = capture.traffic
        #expect(try run.verdict(Self.expectation) == .inconclusive)
    }
}

extension JudgedRun {
    /// The times of all packets of a connection.
    fileprivate mutating func set(_ index: Int, sent: [Int], received: [Int] = []) {
        let pieces =
            sent.map { Volume(Self.at($0), SideCounts(client: 40)) }
            + received.map { Volume(Self.at($0), SideCounts(server: 40)) }
        traffic.connections[index].volume = pieces.sorted { $0.begin < $1.begin }
    }
}
