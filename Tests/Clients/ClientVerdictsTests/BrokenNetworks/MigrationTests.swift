// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `migrates within 2 s of 'new'`: the label is at 1 s.
struct MigrationTests {
    private static let expectation = "migrates within 2 s of 'new'"
    private static let initial: [UInt8] = [0xC3, 0, 0, 0, 1, 2, 7, 7, 0] + [UInt8](repeating: 0, count: 1200)
    private static let handshake: [UInt8] = [0xE3, 0, 0, 0, 1, 2, 7, 7, 0] + [UInt8](repeating: 0, count: 300)

    private static func short(_ length: Int) -> [UInt8] { [0x43] + [UInt8](repeating: 9, count: length - 1) }

    /// A connection that is established before the label.
    private func capture() -> TestCapture {
        var capture = TestCapture()
        capture.template.serverPort = 443
        capture.datagram(Self.initial, at: 1_000_000)
        capture.datagram(Self.handshake, fromClient: false, at: 1_000_030)
        capture.datagram(Self.short(60), at: 1_000_100)
        capture.datagram(Self.short(400), fromClient: false, at: 1_000_130)
        return capture
    }

    private func judge(_ text: String = expectation, _ fill: (inout TestCapture) -> Void) throws -> Judgement {
        var capture = capture()
        fill(&capture)
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.label("new", 1000, 10_000)
        return try run.judge(text)
    }

    @Test func goesOnFromANewPort() throws {
        let pass = try judge {
            $0.template.clientPort = 51_000
            $0.datagram(Self.short(60), at: 1_001_500)
            $0.datagram(Self.short(1200), fromClient: false, at: 1_001_530)
        }
        #expect(pass.verdict == .pass, "\(pass)")
        #expect(
            pass.finding
                == "the QUIC connection to 192.0.2.7:443 went on from 10.0.0.1:51000, with an answer 550 ms after 'new'"
        )
        let late = try judge {
            $0.template.clientPort = 51_000
            $0.datagram(Self.short(60), at: 1_003_500)
            $0.datagram(Self.short(1200), fromClient: false, at: 1_003_530)
        }
        #expect(late.verdict == .fail && late.finding.hasSuffix("with an answer 2.55 s after 'new'"), "\(late)")
    }

    /// A router that forgets its mappings changes nothing that the client sees.
    @Test func goesOnByTheSamePath() throws {
        let pass = try judge {
            $0.datagram(Self.short(60), at: 1_001_100, .lost)
            $0.datagram(Self.short(60), at: 1_001_500)
            $0.datagram(Self.short(40), fromClient: false, at: 1_001_530)
        }
        #expect(pass.verdict == .pass && pass.finding.contains("by the same path, with an answer 550 ms"), "\(pass)")
        // What was under way at the label is no answer to what came after it.
        let queued = try judge {
            $0.datagram(Self.short(60), at: 1_001_100, .lost)
            $0.datagram(Self.short(400), fromClient: false, at: 1_000_990, .after(500))
        }
        #expect(queued.verdict == .fail && queued.finding.contains("got no answer in the 9 s"), "\(queued)")
    }

    @Test func failsAClientThatBeginsAnew() throws {
        let quic = try judge {
            $0.datagram(Self.short(60), at: 1_001_100, .lost)
            $0.template.clientPort = 51_000
            $0.datagram(Self.initial, at: 1_001_500)
            $0.datagram(Self.handshake, fromClient: false, at: 1_001_530)
            $0.datagram(Self.short(60), at: 1_001_600)
            $0.datagram(Self.short(1200), fromClient: false, at: 1_001_630)
        }
        #expect(
            quic.verdict == .fail && quic.finding.contains("opened a new QUIC connection to 192.0.2.7:443 500 ms"),
            "\(quic)"
        )
        let tcp = try judge {
            $0.template.clientPort = 51_000
            $0.client(.syn, 0, at: 1_001_500)
        }
        #expect(tcp.verdict == .fail && tcp.finding.hasPrefix("no QUIC connection went on"), "\(tcp)")
        #expect(tcp.remedy?.contains("RFC 9000") == true)
    }

    @Test func failsAClientOfTCP() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 1_000_000)
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.label("new", 1000, 10_000)
        let fail = try run.judge(Self.expectation)
        #expect(fail.verdict == .fail && fail.finding.hasPrefix("no QUIC connection went on"), "\(fail)")
        run.traffic.connections = []
        #expect(try run.verdict(Self.expectation) == .inconclusive)
    }

    @Test func isInDoubtWhereNothingTells() throws {
        let silent = try judge { _ in }
        #expect(silent.verdict == .inconclusive && silent.finding.hasSuffix("it may have ended"), "\(silent)")
        // A stateless reset looks like a packet, and is shorter than what it refuses.
        let refused = try judge {
            $0.template.clientPort = 51_000
            $0.datagram(Self.short(60), at: 1_001_500)
            $0.datagram(Self.short(40), fromClient: false, at: 1_001_530)
        }
        #expect(refused.verdict == .inconclusive && refused.finding.hasSuffix("they may refuse it"), "\(refused)")
        #expect(try judge("migrates within 2 s of 'never'") { _ in }.verdict == .inconclusive)
        #expect(try judge("migrates to 192.0.2.8 within 2 s of 'new'") { _ in }.verdict == .inconclusive)
        var capture = capture()
        capture.datagram(Self.short(60), at: 1_001_100, .lost)
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.label("new", 1000, 10_000)
        #expect(try run.verdict(Self.expectation) == .fail)
        run.traffic.link.missing = 1
        #expect(try run.verdict(Self.expectation) == .inconclusive)
    }
}
