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
        #expect(try run.verdict("at most 1 requests") == .pass)
        #expect(try run.verdict("at most 0 requests") == .fail)
        run.traffic.connections[0].hasUnreadRequests = true
        #expect(try run.verdict("at most 1 requests") == .inconclusive)
        run.traffic.connections[0].hasUnreadRequests = false
        run.traffic.connections[0].requests[0].method = "CONNECT"
        run.traffic.connections[0].requests[0].status = 200
        #expect(try run.verdict("at most 1 requests") == .inconclusive)
        // Of what is too much already, the rest does not matter.
        #expect(try run.verdict("at most 0 requests") == .fail)
    }

    /// HTTP/2 sends many at once.
    @Test func namesAPacketOfSeveralRequestsOnce() throws {
        var run = try Self.run { _ in }
        let request = ObservedRequest(method: "GET", target: "/", packet: run.packet(100))
        run.traffic.connections[0].requests = [request, request, request]
        let judgement = try run.judge("at most 2 requests")
        #expect(judgement.verdict == .fail && judgement.finding == "3 requests")
        #expect(judgement.packets == [request.packet.number])
    }

    @Test func seesNoRetransmissionsOfQUIC() throws {
        let run = try Self.run { $0.carrier = .quic }
        #expect(try run.verdict("at most 0 retransmissions") == .inconclusive)
        #expect(try run.verdict("at most 0 requests") == .inconclusive)
        #expect(try run.verdict("at most 1 connections") == .pass)
    }

    /// No packet shows the end of a connection of QUIC, but what the client sends shows that it is there.
    @Test func countsAConnectionOfQUICWhileItsClientSends() throws {
        var run = try Self.run { $0.carrier = .quic }
        run.label("later", 5000, 9000, .mark)
        run.traffic.connections[0].clientPackets.append(run.packet(6000))
        #expect(try run.verdict("at most 0 connections during 'later'") == .fail)
        #expect(try run.verdict("at most 1 connections during 'later'") == .pass)
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
