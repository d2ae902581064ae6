// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `falls back to TCP within 2 s`
struct TCPFallbackTests {
    private static let expectation = "falls back to TCP within 2 s"
    private static let initial: [UInt8] = [0xC3, 0, 0, 0, 1, 2, 7, 7, 0]
    private static let query: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1]

    private func run(_ capture: TestCapture) -> JudgedRun {
        var run = JudgedRun()
        run.traffic = capture.traffic
        return run
    }

    /// A client that sends a datagram at 100 ms and one second later, and opens TCP.
    private func capture(
        _ payload: [UInt8],
        port: UInt16,
        answeredAt answer: Int? = nil,
        tcpAt begin: Int?,
        tcpPort: UInt16? = nil
    ) -> TestCapture {
        var capture = TestCapture()
        capture.template.serverPort = port
        for time in [100, 1100] { capture.datagram(payload, at: 1_000_000 + time, .lost) }
        if let answer {
            var reply = payload
            if port == 53 { reply[2] = 0x81 }
            capture.datagram(reply, fromClient: false, at: 1_000_000 + answer)
        }
        capture.template.serverPort = tcpPort ?? port
        if let begin { capture.client(.syn, 0, at: 1_000_000 + begin) }
        return capture
    }

    @Test(arguments: [(initial, 443), (query, 53)] as [([UInt8], UInt16)])
    func measuresTheTimeFromTheFirstUnansweredPacket(payload: [UInt8], port: UInt16) throws {
        let pass = try run(capture(payload, port: port, tcpAt: 1600)).judge(Self.expectation)
        let words = "an attempt over TCP to 192.0.2.7:\(port) began 1.5 s after one over UDP that got no answer"
        #expect(pass.verdict == .pass && pass.finding == words, "\(pass)")
        #expect(pass.packets == [1, 3])
        #expect(try run(capture(payload, port: port, tcpAt: 3000)).verdict(Self.expectation) == .fail)
        let never = try run(capture(payload, port: port, tcpAt: nil)).judge(Self.expectation)
        #expect(
            never.verdict == .fail && never.finding.hasPrefix("no attempt over TCP to 192.0.2.7:\(port)"),
            "\(never)"
        )
        // Another port is another service.
        #expect(try run(capture(payload, port: port, tcpAt: 300, tcpPort: 80)).verdict(Self.expectation) == .fail)
    }

    @Test(arguments: [(initial, 443), (query, 53)] as [([UInt8], UInt16)])
    func judgesNothingWhereUDPIsAnswered(payload: [UInt8], port: UInt16) throws {
        let judgement = try run(capture(payload, port: port, answeredAt: 1150, tcpAt: nil)).judge(Self.expectation)
        #expect(judgement.verdict == .inconclusive, "\(judgement)")
        #expect(judgement.finding == "each attempt over UDP got an answer", "\(judgement)")
        #expect(try run(capture(payload, port: port, answeredAt: 5000, tcpAt: nil)).verdict(Self.expectation) == .fail)
    }

    @Test func judgesNoOtherDatagrams() throws {
        let judgement = try run(capture([1, 2, 3], port: 4000, tcpAt: nil)).judge(Self.expectation)
        #expect(
            judgement.verdict == .inconclusive && judgement.finding == "no attempt over UDP was seen",
            "\(judgement)"
        )
    }

    /// A client that has come by Alt-Svc, or tries both at once.
    @Test func takesTCPThatWasInUse() throws {
        let pass = try run(capture(Self.initial, port: 443, tcpAt: 50)).judge(Self.expectation)
        #expect(pass.verdict == .pass && pass.finding.contains("was in use already"), "\(pass)")
    }

    @Test func findsThePeer() throws {
        let run = run(capture(Self.query, port: 53, tcpAt: nil))
        #expect(try run.verdict("falls back to TCP to 192.0.2.7:53 within 2 s") == .fail)
        #expect(try run.verdict("falls back to TCP to 192.0.2.8:53 within 2 s") == .inconclusive)
        #expect(try run.verdict("falls back to TCP within 2 s during 'never'") == .inconclusive)
    }

    @Test func isInDoubtWhereTheEvidenceIs() throws {
        var run = run(capture(Self.initial, port: 443, tcpAt: nil))
        run.traffic.link.missing = 1
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        run.traffic.link.missing = 0
        run.record.end = JudgedRun.at(1900)
        #expect(try run.verdict(Self.expectation) == .inconclusive)
        // The SYN itself may have been damaged.
        var damaged = capture(Self.initial, port: 443, tcpAt: nil)
        damaged.template.clientPort = 44_444
        damaged.client(.syn, 0, at: 1_000_500, .damaged(20))
        #expect(try self.run(damaged).verdict(Self.expectation) == .inconclusive)
    }
}
