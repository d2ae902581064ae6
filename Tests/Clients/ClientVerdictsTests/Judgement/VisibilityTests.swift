// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// Nothing passes on what no packet shows.
struct VisibilityTests {
    private static func run(_ change: (inout Connection) -> Void) throws -> JudgedRun {
        var run = JudgedRun()
        let index = try run.connect(at: 0, answers: [500], closed: 900)
        run.traffic.connections[index].firstRequest = run.packet(100)
        change(&run.traffic.connections[index])
        return run
    }

    @Test func seesNoRequestsInTLS() throws {
        let run = try Self.run { $0.tlsVersion = "TLS 1.3" }
        #expect(
            try run.judge("at most 3 requests").finding
                == "0 requests seen; requests in TLS to 192.0.2.7:80 cannot be seen; expect connections or bytes"
        )
        #expect(try run.verdict("at most 3 requests") == .inconclusive)
        #expect(try run.verdict("sends no request twice") == .inconclusive)
        #expect(try run.verdict("at most 3 connections") == .pass)
    }

    @Test func seesNoRequestsOfOtherProtocols() throws {
        var run = try Self.run { _ in }
        #expect(try run.verdict("at most 0 requests") == .inconclusive)
        run.traffic.connections[0].requests = [ObservedRequest(method: "GET", target: "/", packet: run.packet(100))]
        #expect(try run.verdict("at most 1 request") == .pass)
        #expect(try run.verdict("at most 0 requests") == .fail)
        run.traffic.connections[0].hasUnreadRequests = true
        #expect(try run.verdict("at most 1 request") == .inconclusive)
        run.traffic.connections[0].hasUnreadRequests = false
        run.traffic.connections[0].requests[0].method = "CONNECT"
        run.traffic.connections[0].requests[0].status = 200
        #expect(try run.verdict("at most 1 request") == .inconclusive)
        // Of what is too much already, the rest does not matter.
        #expect(try run.verdict("at most 0 requests") == .fail)
    }

    /// HTTP/2 sends many at once.
    @Test func namesAPacketOfSeveralRequestsOnce() throws {
        var run = try Self.run { _ in }
        let request = ObservedRequest(method: "GET", target: "/", packet: run.packet(100))
        run.traffic.connections[0].requests = [request, request, request]
        let judgement = try run.judge("at most 2 requests")
        #expect(judgement.verdict == .fail && judgement.finding == "3 requests: GET 192.0.2.7:80/ (3 times)")
        #expect(judgement.packets == [request.packet.number])
    }

    /// Packets alone do not tell which page it is about.
    @Test func namesUpToThreeOfWhatIsTooMuch() throws {
        var run = JudgedRun()
        for number in 0..<6 {
            try run.connect(at: 100 * number, to: "192.0.2.\(7 + number / 2)")
            var request = ObservedRequest(method: "GET", target: "/\(number % 4)", packet: run.packet(100 * number))
            request.host = "a.test"
            run.traffic.connections[number].requests = [request]
            run.traffic.nameQueries.append(NameQuery(name: "a.test", type: 1, packet: run.packet(100 * number)))
        }
        for (text, words) in [
            (
                "at most 5 requests",
                "6 requests: GET a.test/0 (2 times), GET a.test/1 (2 times), GET a.test/2 and 1 more"
            ),
            (
                "at most 5 connections",
                "6 connections, to 192.0.2.7:80 (2 times), 192.0.2.8:80 (2 times), 192.0.2.9:80 (2 times)"
            ),
            ("at most 1 connections to 192.0.2.7", "2 connections to 192.0.2.7"),
            ("at most 5 connections at a time", "6 connections at a time, to 192.0.2.7:80 (2 times)"),
            ("at most 5 DNS queries", "6 DNS queries: a.test (6 times)"), ("at most 6 requests", "6 requests"),
        ] {
            let finding = try run.judge(text).finding
            #expect(text.hasSuffix("time") ? finding.hasPrefix(words) : finding == words, "\(text): \(finding)")
        }
        run.traffic.connections[0].requests[0].target = "/" + String(repeating: "x", count: 500)
        #expect(try run.judge("at most 1 requests").finding.count < 200)
    }

    @Test func seesNoRetransmissionsOfQUIC() throws {
        let run = try Self.run { $0.carrier = .quic }
        #expect(try run.verdict("at most 0 retransmissions") == .inconclusive)
        #expect(try run.verdict("at most 0 requests") == .inconclusive)
        #expect(try run.verdict("at most 1 connection") == .pass)
    }

    /// No packet shows the end of a connection of QUIC, but what the client sends shows that it is there.
    @Test func countsAConnectionOfQUICWhileItsClientSends() throws {
        var run = try Self.run { $0.carrier = .quic }
        run.label("later", 5000, 9000, .mark)
        run.traffic.connections[0].clientPackets.append(run.packet(6000))
        #expect(try run.verdict("at most 0 connections during 'later'") == .fail)
        #expect(try run.verdict("at most 1 connection during 'later'") == .pass)
    }

    @Test func seesNoQueriesInTLS() throws {
        let run = try Self.run { $0.server.port = 853 }
        #expect(try run.verdict("at most 0 DNS queries") == .inconclusive)
        #expect(try JudgedRun().verdict("at most 0 DNS queries") == .pass)
    }

    @Test func asksOnlyWhatWasSentInTheTime() throws {
        var run = try Self.run { $0.tlsVersion = "TLS 1.3" }
        run.label("later", 5000, 9000, .mark)
        #expect(try run.verdict("at most 0 requests during 'later'") == .pass)
    }
}
