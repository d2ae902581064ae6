// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles
import PacketPump
import SandboxClient
import Testing

@testable import LinkPane

/// `GET /v1/connections`.
struct ConnectionQueryTests {
    private final class FixedList: ConnectionList {
        let rows: [ConnectionRow]

        init(_ rows: [ConnectionRow]) { self.rows = rows }

        func connections(at now: Duration) -> (rows: [ConnectionRow], problem: String?) { (rows, nil) }
    }

    private static func row(
        _ number: Int,
        port: UInt16,
        process: String? = nil,
        state: String = "open",
        up: UInt64? = nil,
        lost: UInt64? = nil
    ) -> ConnectionRow {
        let address = IPAddress("192.0.2.\(number)") ?? .unspecified
        var row = ConnectionRow(
            id: "\(number)",
            transport: port == 53 ? "udp" : "tcp",
            client: .init(IPAddress("10.0.0.1") ?? .unspecified, port: 50_000 + UInt16(number)),
            peer: .init(address, port: port),
            state: state
        )
        (row.process, row.seen.up) = (process, up)
        row.lost = lost.map { $0 > 0 ? [.init("random", $0)] : [] }
        return row
    }

    private static let rows = [
        row(1, port: 443, process: "curl (12)", up: 5_000_000, lost: 3),
        row(2, port: 443, process: "wget (13)", up: 200, lost: 0),
        row(3, port: 80, state: "closed", up: 70_000),
        row(4, port: 53, process: "curl (12)", state: "", lost: 12),
    ]

    private func answer(_ query: [String: String]) throws -> ControlAPI.Answer {
        let resource = ConnectionsResource(FixedList(Self.rows)) { .zero }
        return try #require(resource.answer(PaneRequest("GET", "/v1/connections", query: query)))
    }

    private func ids(_ query: [String: String]) throws -> [String] {
        guard case .array(let rows)? = try answer(query).body?["rows"]?.value else { return [] }
        return rows.compactMap { $0["id"].flatMap { String(json: $0) } }
    }

    @Test(arguments: [
        ("port:443", ["1", "2"]), ("state:open", ["1", "2"]), ("curl", ["1", "4"]), ("process:wget", ["2"]),
        ("lost:>0", ["1", "4"]), ("lost:0", ["2"]), ("seen:>1MB", ["1"]), ("seen:<70kB", ["2"]), ("192.0.2.3", ["3"]),
        ("192.0.2.3:80", ["3"]), ("port:443 lost:>0", ["1"]), ("protocol:udp", ["4"]), ("CURL", ["1", "4"]),
        ("nobody", []),
    ])
    func searches(search: String, found: [String]) throws {
        #expect(try ids(["search": search, "sort": "peer"]) == found)
    }

    @Test(arguments: [
        ("sent", "", ["1", "3", "2", "4"]), ("sent", "0", ["2", "3", "1", "4"]), ("lost", "1", ["4", "1", "2", "3"]),
        ("process", "", ["1", "4", "2", "3"]), ("peer", "1", ["4", "3", "2", "1"]),
    ])
    func sorts(column: String, descending: String, order: [String]) throws {
        #expect(try ids(["sort": column, "descending": descending]) == order)
    }

    @Test func returnsThePartThatWasAskedFor() throws {
        #expect(try ids(["sort": "peer", "from": "1", "count": "2"]) == ["2", "3"])
        #expect(try ids(["sort": "peer", "from": "9"]) == [])
        let body = try answer(["count": "1"]).body
        #expect(body?["total"].flatMap { Int(json: $0) } == 4 && body?["shown"].flatMap { Int(json: $0) } == 1)
    }

    @Test(arguments: [
        ("search", "port:http"), ("search", "port:0"), ("search", "colour:red"), ("search", "lost:>many"),
        ("search", "process:"), ("search", "seen:>1MiB"), ("sort", "colour"), ("descending", "yes"), ("from", "-1"),
        ("count", "100000"), ("count", "x"),
    ])
    func refusesAWrongWordAtItsField(field: String, value: String) throws {
        let answer = try answer([field: value])
        #expect(answer.status == 400)
        #expect(answer.body?["field"].flatMap { String(json: $0) } == field)
        #expect(answer.body?["error"] != nil)
    }

    @Test func readsTheRowsThatItWrites() throws {
        for row in Self.rows { #expect(ConnectionRow(json: row.json) == row) }
        var row = Self.rows[0]
        row.peer = .init(try #require(IPAddress("2001:db8::1")), port: 443)
        row.client.port = 0
        (row.own, row.age, row.idle, row.name, row.rule) = (2, 3.5, 0.1, "api.test", "eth0#1")
        #expect(row.json["peer"].flatMap { String(json: $0) } == "[2001:db8::1]:443")
        #expect(ConnectionRow(json: row.json) == row)
    }

    @Test func leavesOtherRequestsToOthers() {
        let resource = ConnectionsResource(FixedList([])) { .zero }
        #expect(resource.answer(PaneRequest("GET", "/v1/live")) == nil)
        #expect(resource.answer(PaneRequest("POST", "/v1/connections"))?.status == 405)
    }
}
