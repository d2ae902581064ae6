// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import DecryptedStreams
import LinkProfiles

/// The summary of a capture as text: `capture -r FILE --summary`.
struct TrafficSummary {
    let traffic: ObservedTraffic

    static func printFile(_ path: String, asJSON: Bool) throws {
        var reader = TrafficReader(decoders: CaptureDecoders())
        try CaptureFile.read(path) { record in
            reader.add(record)
            return true
        }
        let traffic = reader.read()
        Console.data(TrafficSummary(traffic: traffic).lines, or: TrafficJSON(traffic: traffic).json, asJSON: asJSON)
    }

    var lines: [OutputLine] {
        [connections, queries, requests].map { $0.lines() }.filter { $0.count > 1 }.flatMap { $0 + [""] } + totals
    }

    private var connections: Table {
        let header = ["CONNECTION", "SERVER", "ATTEMPTS", "FIRST ANSWER", "SENT", "RECEIVED", "SENT AGAIN", "END"]
        return Table(header: header, of: traffic.connections) { connection in
            [
                "\(connection.carrier.rawValue) \(connection.client)",
                "\(connection.server)\(connection.serverName.map { " (\($0))" } ?? "")",
                "\(connection.attempts.count)", Self.time(connection.firstPacket, connection.answers.first),
                Self.size(connection.bytes.client), Self.size(connection.bytes.server),
                Self.sentAgain(connection), Self.end(connection),
            ]
        }
    }

    private var queries: Table {
        Table(header: ["DNS QUERY", "TYPE", "ANSWER", "CODE"], of: traffic.nameQueries) { query in
            [
                query.name, NameQuery.typeName(query.type), Self.time(query.packet, query.answer),
                query.code.map { NameQuery.codeName($0) } ?? "-",
            ]
        }
    }

    private var requests: Table {
        let requests = traffic.connections.flatMap { connection in connection.requests.map { (connection, $0) } }
        return Table(header: ["REQUEST", "SERVER", "STATUS", "ANSWER"], of: requests) { connection, request in
            [
                "\(request.method) \(request.target)", request.host ?? "\(connection.server)",
                Self.status(request), Self.time(request.packet, request.answer),
            ]
        }
    }

    /// "200", "200 grpc 14", or "-" without a response.
    private static func status(_ request: ObservedRequest) -> String {
        let all = [request.status.map { "\($0)" }, request.grpcStatus.map { "grpc \($0)" }].compactMap { $0 }
        return all.isEmpty ? "-" : all.joined(separator: " ")
    }

    private var totals: [OutputLine] {
        let total = TrafficTotals(traffic)
        let link = traffic.link
        let dropped = link.dropped.sorted { $0.key.name < $1.key.name }.map { "\($0.value) \($0.key.words)" }
        var lines = [
            "connections: \(total.connections), attempts: \(total.attempts), DNS queries: \(total.queries), "
                + "requests: \(total.requests)",
            "sent: \(Self.size(total.bytes.client)), received: \(Self.size(total.bytes.server)); packets sent again: "
                + "\(total.retransmissions.client) by clients, \(total.retransmissions.server) by servers",
            "packets in the capture: \(link.packets); dropped: \(dropped.isEmpty ? "none" : dropped.joined(separator: ", "))",
        ]
        if link.missing > 0 { lines.append("packets missing from the capture: \(link.missing)") }
        if !link.late.isEmpty {
            lines.append("packets later than the model says: by \(link.worstLateness.words) at most")
        }
        return lines.map { OutputLine($0) }
    }

    private static func time(_ begin: ObservedPacket?, _ end: ObservedPacket?) -> String {
        guard let begin, let delivered = end?.delivered else { return "-" }
        return (delivered - begin.sent).words
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) B"
        case ..<10_000_000: "\(Double(bytes / 100) / 10) kB"
        default: "\(Double(bytes / 100_000) / 10) MB"
        }
    }

    private static func sentAgain(_ connection: Connection) -> String {
        let counts = connection.retransmissionCounts
        return counts == SideCounts() ? "-" : "\(counts.client) by client, \(counts.server) by server"
    }

    private static func end(_ connection: Connection) -> String {
        guard connection.carrier == .tcp else { return "-" }
        guard !connection.endings.isEmpty else {
            return connection.accepted == nil && !connection.attempts.isEmpty ? "not accepted" : "open"
        }
        return connection.endings.map { ending in
            let side = ending.isOfFault ? "a fault" : "\(ending.side)"
            return ending.kind == .reset ? "\(side) resets" : "\(side) finishes"
        }
        .joined(separator: ", ")
    }
}
