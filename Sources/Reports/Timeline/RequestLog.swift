// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
internal import LinkProfiles

/// The requests of a run: those of HTTP/1 in the clear, and DNS queries. All times count from the start of the command.
package struct RequestLog: Hashable, Sendable {
    /// A request of HTTP/1.
    package struct Request: Hashable, Sendable {
        package var method: String
        package var target: String
        package var host: String?
        /// The packet that its first byte was in, and the first packet of its connection, by their numbers.
        package var packet: Int
        package var connection: Int
        package var begin: Duration
        /// The status of the answer; nil if none was delivered.
        package var status: Int?
        package var firstByte: Duration?
        /// When the answer was complete; nil if it never was, or if no packet tells.
        package var end: Duration?
        /// The packet of the request without an answer that this one sends again.
        package var repeats: Int?
    }

    /// A DNS query.
    package struct Query: Hashable, Sendable {
        package var name: String
        /// The type of record: "A", "AAAA".
        package var type: String
        package var packet: Int
        package var begin: Duration
        /// When the answer came; nil if none was delivered.
        package var answer: Duration?
        /// The response code: 0 for success.
        package var code: Int?
    }

    /// A longer target, host or name is cut in its middle.
    private static let longestText = 1000

    /// The first requests, and how many there were.
    package var requests: [Request] = []
    package var requestCount = 0
    /// How many requests got no answer, and how many were such a request, sent again.
    package var unansweredCount = 0
    package var repeatedCount = 0
    /// The first DNS queries, and how many there were.
    package var queries: [Query] = []
    package var queryCount = 0
    /// Connections of TLS and QUIC, whose requests no packet shows.
    package var encryptedCount = 0

    /// A log without a request.
    package init() {}

    /// Whether there is nothing to say.
    var isEmpty: Bool { requestCount == 0 && queryCount == 0 && encryptedCount == 0 }

    /// Reads what the packets of a run show.
    ///
    /// - Parameter limit: no more requests than this are listed, and no more queries.
    init(_ traffic: Traffic, _ clock: RunClock, limit: Int) {
        let sent = traffic.connections.sentRequests()
        requestCount = sent.count
        unansweredCount = sent.count { $0.request.answer == nil }
        repeatedCount = sent.count { $0.repeated != nil }
        requests = sent.prefix(limit).map { sent in
            let (request, connection) = (sent.request, traffic.connections[sent.connection])
            return Request(
                method: request.method,
                target: request.target.shortened(to: Self.longestText),
                host: request.host?.shortened(to: Self.longestText),
                packet: request.packet.number,
                connection: connection.firstPacket?.number ?? request.packet.number,
                begin: clock.time(request.packet.sent),
                status: request.status,
                firstByte: request.answer?.delivered.map(clock.time),
                end: request.completed?.delivered.map(clock.time),
                repeats: sent.repeated?.packet.number
            )
        }
        queryCount = traffic.nameQueries.count
        queries = traffic.nameQueries.prefix(limit).map { query in
            Query(
                name: query.name.shortened(to: Self.longestText),
                type: NameQuery.typeName(query.type),
                packet: query.packet.number,
                begin: clock.time(query.packet.sent),
                answer: query.answer?.delivered.map(clock.time),
                code: query.code.map(Int.init)
            )
        }
        encryptedCount = traffic.connections.count { $0.tlsVersion != nil || $0.carrier == .quic }
    }
}

extension RequestLog {
    /// "12 HTTP/1 requests, 2 without an answer, 1 sent again after no answer came".
    var sentence: String {
        var parts = [requestCount.of("HTTP/1 request")]
        if unansweredCount > 0 { parts.append("\(unansweredCount) without an answer") }
        if repeatedCount > 0 { parts.append("\(repeatedCount) sent again after no answer came") }
        return parts.joined(separator: ", ")
    }

    /// "1 DNS query".
    var querySentence: String { queryCount == 1 ? "1 DNS query" : "\(queryCount) DNS queries" }

    /// Why requests may be missing; nil if all can be seen.
    var blindSpot: String? {
        guard encryptedCount > 0 else { return nil }
        return "\(encryptedCount.of("connection")) with TLS or QUIC: requests inside TLS are not seen"
    }
}

extension RequestLog.Query {
    /// What came of it.
    var words: String {
        answer == nil ? "no answer" : code.map { NameQuery.codeName(UInt8(clamping: $0)) } ?? "answered"
    }
}

extension RequestLog.Request {
    /// "GET /a: 200 after 340 ms, complete after 1.2 s".
    var sentence: String {
        let name = "\(method) \(target.shortened(to: 200)) at \(begin.words)"
        guard let status, let firstByte else { return "\(name): no answer" }
        let whole = end.map { ", complete after \(($0 - begin).words)" } ?? ", not complete"
        return "\(name): \(status) after \((firstByte - begin).words)\(whole)"
    }
}
