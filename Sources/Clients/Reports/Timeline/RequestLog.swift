// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The HTTP requests of a run that could be read, and its DNS queries. All times count from the start of the command.
struct RequestLog: Hashable, Sendable {
    /// An HTTP request.
    struct Request: Hashable, Sendable {
        let request: ObservedRequest
        /// The number of the first packet of the request's connection.
        let connection: Int
        /// The number of the packet with the earlier, incompletely answered request that this one repeats; nil if it
        /// repeats none.
        let repeats: Int?
        /// Whether the answer came after the client had closed the connection, so that its kernel refused it.
        let isLate: Bool
        fileprivate let clock: ReportClock

        /// The number of the packet with the request's first byte.
        var packet: Int { request.packet.number }
        var begin: Duration { clock.time(request.packet.sent) }
        /// The status of the answer; nil if the client received none.
        var status: Int? { isLate ? nil : request.status }
        var firstByte: Duration? { isLate ? nil : clock.time(request.answer?.delivered) }
        /// The time at which the answer was complete; nil if it never was, or if no packet shows it.
        var end: Duration? { isLate ? nil : clock.time(request.completed?.delivered) }
        /// The time at which either side reset the request's stream (HTTP/2).
        var reset: Duration? { clock.time(request.reset) }
    }

    /// A DNS query.
    struct Query: Hashable, Sendable {
        let query: NameQuery
        fileprivate let clock: ReportClock

        /// The type of record: "A", "AAAA".
        var type: String { NameQuery.typeName(query.type) }
        var begin: Duration { clock.time(query.packet.sent) }
        /// The time at which the answer was delivered; nil if none was.
        var answer: Duration? { clock.time(query.answer?.delivered) }
    }

    /// The requests in the order in which they were sent.
    var requests: [Request] = []
    var queries: [Query] = []
    /// The number of TLS and QUIC connections whose requests cannot be read.
    var encryptedCount = 0

    /// Whether there are no requests, queries or encrypted connections.
    var isEmpty: Bool { requests.isEmpty && queries.isEmpty && encryptedCount == 0 }
    var unansweredCount: Int { requests.count { $0.firstByte == nil } }
    /// The number of requests that repeat an incompletely answered one.
    var repeatedCount: Int { requests.count { $0.repeats != nil } }
    var listedRequests: ArraySlice<Request> { requests.prefix(RunTimeline.listLimit) }
    var listedQueries: ArraySlice<Query> { queries.prefix(RunTimeline.listLimit) }
}

extension RequestLog {
    /// Lists the requests and queries in the packets of a run.
    init(_ traffic: ObservedTraffic, _ lives: ConnectionLives, _ clock: ReportClock) {
        requests = traffic.connections.sentRequests { lives.life(of: $0) }.map { sent in
            let connection = traffic.connections[sent.connection]
            return Request(
                request: sent.request,
                connection: (connection.firstPacket ?? sent.request.packet).number,
                repeats: sent.repeatedOutcome == .half ? nil : sent.repeated?.packet.number,
                isLate: sent.request.answer.map { !(lives.life(of: connection)?.isAnswered(by: $0) ?? true) } ?? false,
                clock: clock
            )
        }
        queries = traffic.nameQueries.map { Query(query: $0, clock: clock) }
        encryptedCount = traffic.connections.count { $0.isOpaque }
    }

    /// "12 HTTP requests, 2 without an answer, 1 sent again after no whole answer came".
    var sentence: String {
        var parts = [requests.count.of("HTTP request")]
        let (unanswered, repeated) = (unansweredCount, repeatedCount)
        if unanswered > 0 { parts.append("\(unanswered) without an answer") }
        if repeated > 0 { parts.append("\(repeated) sent again after no whole answer came") }
        return parts.joined(separator: ", ")
    }

    /// "1 DNS query".
    var querySentence: String { queries.count == 1 ? "1 DNS query" : "\(queries.count) DNS queries" }

    /// The reason why requests may be missing; nil if all can be seen.
    var blindSpot: String? {
        guard encryptedCount > 0 else { return nil }
        return "\(encryptedCount.of("connection")) with TLS or QUIC: requests inside TLS are not seen"
    }
}

extension RequestLog.Query {
    /// The outcome of the request, in words.
    var words: String {
        query.answer?.delivered == nil ? "no answer" : query.code.map(NameQuery.codeName) ?? "answered"
    }
}

extension RequestLog.Request {
    /// "GET /a: 200 after 340 ms, complete after 1.2 s".
    var sentence: String {
        let name = "\(request.method) \(request.target.shortened(to: 200)) at \(begin.words)"
        guard let status, let firstByte else {
            return "\(name): \(isLate ? "the answer came after the client had closed the connection" : "no answer")"
        }
        let whole = end.map { ", complete after \(($0 - begin).words)" } ?? ", not complete"
        return "\(name): \(status) after \((firstByte - begin).words)\(whole)"
    }
}
