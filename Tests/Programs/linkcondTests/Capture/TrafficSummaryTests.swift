// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import Foundation
import InternetAddresses
import LinkProfiles
import TestKit
import Testing

@testable import linkcond

/// `capture -r FILE --summary`
@Suite struct TrafficSummaryTests {
    private func packet(_ number: Int, _ sent: Int64, _ delivered: Int64? = nil) -> ObservedPacket {
        ObservedPacket(
            number: number,
            sent: Instant(nanoseconds: sent * 1_000_000),
            delivered: delivered.map { Instant(nanoseconds: $0 * 1_000_000) }
        )
    }

    private func traffic() throws -> ObservedTraffic {
        var traffic = ObservedTraffic()
        let address = try #require(IPAddress("192.0.2.7"))
        var connection = Connection(.tcp, client: Endpoint(address, 50_000), server: Endpoint(address, 80))
        connection.attempts = [packet(1, 0), packet(2, 1000, 1020)]
        connection.serverName = "a.test"
        connection.answers = [packet(9, 1050, 1250)]
        connection.bytes = SideCounts(client: 900, server: 12_345)
        connection.retransmissions = [Retransmission(by: .client, packet(2, 1000, 1020), isOpening: true)]
        connection.endings = [.init(.reset, by: .server, packet(12, 3000))]
        var request = ObservedRequest(method: "GET", target: "/a\u{1B}[2J", packet: packet(4, 1100))
        (request.status, request.answer) = (200, packet(9, 1050, 1250))
        connection.requests = [request]
        traffic.connections = [
            connection, Connection(.udp, client: Endpoint(address, 1), server: Endpoint(address, 2)),
        ]
        var query = NameQuery(name: "a.test", type: 28, packet: packet(20, 0))
        (query.answer, query.code) = (packet(21, 10, 30), 3)
        traffic.nameQueries = [query, NameQuery(name: "b.test", type: 64, packet: packet(22, 0))]
        traffic.link.packets = 22
        traffic.link.dropped = [.randomLoss: 2]
        return traffic
    }

    @Test func tellsEachConnectionQueryAndRequest() throws {
        let lines = TrafficSummary(traffic: try traffic()).lines.map(\.text)
        let words = lines.map { $0.split(separator: #/ {2,}/#).map(String.init) }
        #expect(
            words[1] == [
                "tcp 192.0.2.7:50000", "192.0.2.7:80 (a.test)", "2", "1.25 s", "900 B", "12.3 kB",
                "1 by client, 0 by server", "server resets",
            ]
        )
        #expect(words[2] == ["udp 192.0.2.7:1", "192.0.2.7:2", "0", "-", "0 B", "0 B", "-", "-"])
        #expect(
            words[5] == ["a.test", "AAAA", "30 ms", "no such name"] && words[6] == ["b.test", "type 64", "-", "-"]
        )
        #expect(words[9] == ["GET /a\\u001b[2J", "192.0.2.7:80", "200", "150 ms"])
        #expect(
            lines.suffix(3) == [
                "connections: 2, attempts: 2, DNS queries: 2, requests: 1",
                "sent: 900 B, received: 12.3 kB; packets sent again: 1 by clients, 0 by servers",
                "packets in the capture: 22; dropped: 2 random loss",
            ]
        )
    }

    @Test func tellsProgramsThePacketsToo() throws {
        let json = TrafficJSON(traffic: try traffic()).json.line
        #expect(json.contains(#""attempts": [{ "packet": 1, "sent": 0 }, { "packet": 2, "sent": 1000000000, "deliv"#))
        #expect(json.contains(#""endings": [{ "kind": "reset", "side": "server", "packet": { "packet": 12, "sent""#))
        #expect(json.contains(#""retransmissions": { "client": 1, "server": 0 }"#))
        #expect(json.contains(#""resets": { "client": 0, "server": 1 }"#))
    }

    @Test(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
    func readsTheCaptureOfARun() throws {
        let files = try TemporaryDirectory()
        let client = """
            import socket
            server = socket.create_server(("127.0.0.1", 0))
            client = socket.create_connection(server.getsockname())
            client.sendall(b"GET /here HTTP/1.1\\r\\n\\r\\n")
            accepted = server.accept()[0]
            accepted.recv(100)
            accepted.sendall(b"HTTP/1.1 204 Nothing\\r\\n\\r\\n")
            client.recv(100)
            """
        _ = try files.write("client.py", client)
        let run = "\"$LINKCOND\" run --offline 3G --capture packets.pcapng -- python3 client.py"
        let summary = "\"$LINKCOND\" capture -r packets.pcapng --summary"
        let outcome = try Program.shell("cd \(files.path) && \(run) && \(summary)")
        #expect(outcome.status == 0 && outcome.output.contains(/GET \/here +127.0.0.1:\d+ +204 +\d/), "\(outcome)")
        #expect(outcome.output.contains("connections: 1, attempts: 1, DNS queries: 0, requests: 1"), "\(outcome)")
    }
}
