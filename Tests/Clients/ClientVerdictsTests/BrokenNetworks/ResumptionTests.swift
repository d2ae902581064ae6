// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `resumes`
struct ResumptionTests {
    /// A download of 1000 bytes, of which the server sends only some before it resets the connection, and another request.
    private struct Download {
        var answer = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
        var bytes = 400
        var target = "/file"
        var retry: String?
        var resetAt: Int? = 2000
        var isTLS = false

        func capture(retryAt: Int = 3000) -> TestCapture {
            var capture = TestCapture()
            connect(&capture, at: 0)
            var get = Array("GET \(target) HTTP/1.1\r\nhost: a.test\r\n\r\n".utf8)
            if isTLS { get = [0x16, 3, 1, 0, 1, 0] }
            capture.client(.data, 1, ack: 1, get, at: 1_000_040)
            let head = Array(answer.utf8)
            capture.server(.data, 1, ack: 1 + UInt32(get.count), head, at: 1_000_060)
            // In two parts, with a pause of a second.
            let half = [UInt8](repeating: 0x78, count: bytes / 2)
            capture.server(.data, 1 + UInt32(head.count), ack: 1 + UInt32(get.count), half, at: 1_000_100)
            capture.server(.data, 1 + UInt32(head.count + half.count), ack: 1 + UInt32(get.count), half, at: 1_001_100)
            if let resetAt {
                let end = 1 + UInt32(head.count + 2 * half.count)
                capture.server([.reset, .acknowledgment], end, ack: 1 + UInt32(get.count), at: 1_000_000 + resetAt)
            }
            guard let retry else { return capture }
            capture.template.clientPort += 1
            connect(&capture, at: retryAt)
            let text = "GET /file HTTP/1.1\r\nhost: a.test\r\n\(retry)\r\n"
            capture.client(.data, 1, ack: 1, Array(text.utf8), at: 1_000_040 + retryAt)
            return capture
        }

        private func connect(_ capture: inout TestCapture, at time: Int) {
            capture.client(.syn, 0, at: 1_000_000 + time)
            capture.server(.answer, 0, ack: 1, at: 1_000_010 + time)
        }

        func judge(_ text: String = "resumes", _ change: (inout JudgedRun) -> Void = { _ in }) throws -> Judgement {
            var run = JudgedRun()
            run.traffic = capture().traffic
            change(&run)
            return try run.judge(text)
        }
    }

    @Test func passesARangeForTheRest() throws {
        for field in ["Range: bytes=400-", "range: Bytes = 400-999", "Range: bytes=400-\r\nIf-Range: \"7\""] {
            let pass = try Download(retry: "\(field)\r\n").judge()
            #expect(pass.verdict == .pass, "\(pass)")
            #expect(pass.finding == "GET /file was interrupted after 400 bytes, and sent again from byte 400")
        }
    }

    @Test(arguments: [
        ("", "sent again without a Range: 400 bytes were sent twice"),
        ("Range: bytes=0-\r\n", "sent again from byte 0: 400 bytes were sent twice"),
        ("Range: bytes=150-\r\n", "sent again from byte 150: 250 bytes were sent twice"),
        ("Range: bytes=401-\r\n", "sent again from byte 401: 1 byte were left out"),
        ("Range: lines=400-\r\n", "sent again without a Range: 400 bytes were sent twice"),
        ("Range: bytes=400-30\r\n", "sent again without a Range: 400 bytes were sent twice"),
    ])
    func failsAnyOther(retry: String, words: String) throws {
        let fail = try Download(retry: retry).judge()
        #expect(fail.verdict == .fail && fail.finding.hasSuffix(words), "\(fail)")
        #expect(fail.packets.count == 2 && fail.remedy?.contains("If-Range") == true)
    }

    /// Bytes do not depend on waiting, unless they were unread when a time limit of the client ended.
    @Test(arguments: [
        ([(4000, 9000, 5000)], Verdict.fail), ([(1200, 1800, 600), (4000, 9000, 5000)], .fail),
        ([(100, 3000, 2900)], .inconclusive),
    ])
    func isInDoubtOnlyForWaitingThatLeftBytesUnread(stalls: [(Int, Int, Int)], verdict: Verdict) throws {
        let judgement = try Download(retry: "").judge { run in
            for stall in stalls { run.stall(stall.0, stall.1, stall.2) }
        }
        #expect(judgement.verdict == verdict, "\(judgement)")
    }

    @Test func failsAClientThatDoesNotAskAgain() throws {
        let fail = try Download().judge()
        #expect(
            fail.verdict == .fail && fail.finding == "GET /file was interrupted after 400 bytes, and not sent again"
        )
    }

    @Test func judgesNothingWithoutAnInterruption() throws {
        for answer in [
            "HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n", "HTTP/1.1 500 No\r\ncontent-length: 1000\r\n\r\n",
        ] {
            let judgement = try Download(answer: answer, retry: "").judge()
            #expect(
                judgement.verdict == .inconclusive && judgement.finding == "no answer to a GET was interrupted",
                "\(judgement)"
            )
        }
        #expect(try Download(bytes: 0, retry: "").judge().verdict == .inconclusive)
        // It is still under way.
        #expect(
            try Download(resetAt: nil).judge {
                $0.record.openAtEnd = [.init(SocketEnds(of: $0.traffic.connections[0]))]
            }.verdict == .inconclusive
        )
        // The client closes it while bytes come: it wants no more.
        let cancelled = try Download(resetAt: nil).judge {
            $0.traffic.connections[0].endings = [.init(.reset, by: .client, $0.packet(1150))]
        }
        #expect(cancelled.verdict == .inconclusive, "\(cancelled)")
    }

    /// What came just before the end may not have been read.
    @Test func isInDoubtAboutTheLastBytes() throws {
        let doubt = try Download(retry: "Range: bytes=200-\r\n", resetAt: 1120).judge()
        #expect(
            doubt.verdict == .inconclusive && doubt.finding.hasSuffix("which came just before it ended"),
            "\(doubt)"
        )
        #expect(try Download(retry: "Range: bytes=200-\r\n", resetAt: 1500).judge().verdict == .fail)
    }

    @Test func isInDoubtWhereTheServerSendsNoParts() throws {
        let answer = "HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\ncontent-length: 1000\r\n\r\n"
        #expect(try Download(answer: answer, retry: "").judge().verdict == .inconclusive)
        #expect(try Download(retry: "Range: bytes=-600\r\n").judge().verdict == .inconclusive)
        #expect(try Download(retry: "Range: bytes=400-500,600-\r\n").judge().verdict == .inconclusive)
    }

    /// A part that is interrupted is resumed from there.
    @Test func countsFromTheStartOfAPart() throws {
        let answer =
            "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 5000-5999/6000\r\ncontent-length: 1000\r\n\r\n"
        #expect(try Download(answer: answer, retry: "Range: bytes=5400-\r\n").judge().verdict == .pass)
        #expect(try Download(answer: answer, retry: "Range: bytes=400-\r\n").judge().verdict == .fail)
    }

    @Test func countsTheBytesOfChunks() throws {
        // A chunk of 600 bytes of which 400 come, and line ends that are none of it.
        let answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n258\r\n"
        #expect(try Download(answer: answer, retry: "Range: bytes=403-\r\n").judge().verdict == .pass)
    }

    @Test func isInDoubtWhereTheEvidenceIs() throws {
        let missing = try Download(retry: "").judge { $0.traffic.link.missing = 1 }
        #expect(missing.verdict == .inconclusive, "\(missing)")
        let hidden = try Download(isTLS: true).judge()
        #expect(hidden.verdict == .inconclusive && hidden.finding != "no answer to a GET was interrupted", "\(hidden)")
        #expect(try Download(retry: "").judge("resumes to b.test").verdict == .inconclusive)
    }

    /// No server sends so much: such a number is none.
    @Test(arguments: [
        "bytes 9223372036854775807-", "bytes 9223372036854775800-9223372036854775807/*", "bytes -9223372036854775808-1",
        "bytes +5-9/10", "bytes 99999999999999999999-",
    ])
    func readsNoOffsetBeyondAllBodies(range: String) throws {
        for retry in ["Range: bytes=9223372036854775807-\r\n", "Range: bytes=400-\r\n", ""] {
            let answer = "HTTP/1.1 206 Part\r\nContent-Range: \(range)\r\ncontent-length: 1000\r\n\r\n"
            let judgement = try Download(answer: answer, retry: retry).judge()
            #expect(judgement.verdict == (retry.contains("=400") ? .pass : .fail), "\(judgement)")
        }
    }
}
