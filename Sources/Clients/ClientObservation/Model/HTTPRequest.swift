// SPDX-License-Identifier: Apache-2.0

/// A request of HTTP/1 (RFC 9112) or HTTP/2 (RFC 9113), in the clear or in TLS whose keys were logged, and what came back.
package struct HTTPRequest: Hashable, Sendable {
    package var method: String
    /// The target, such as "/search?q=a".
    package var target: String
    /// The value of Host, or in HTTP/2 of :authority, if there is one.
    package var host: String?
    /// The value of Idempotency-Key, if there is one (draft-ietf-httpapi-idempotency-key-header).
    package var idempotencyKey: String?
    /// The value of Content-Type, if there is one.
    package var contentType: String?
    /// Its body; nil if not all of it was sent, or kept.
    package var body: Body?
    /// The packet that its first byte was in.
    package var packet: ObservedPacket
    /// The status of the answer, and the packet that brought its first byte; nil if none was delivered.
    package var status: Int?
    package var answer: ObservedPacket?
    /// The status of a gRPC call, if its answer has one.
    package var grpcStatus: Int?
    /// Whether it begins another protocol on its stream, as WebSocket (RFC 8441), and no tunnel.
    package var isExtendedConnect = false
    /// Whether the server has said that it did not process it (RFC 9113, section 8.7).
    package var isUnprocessed = false
    /// When its stream of HTTP/2 was reset: by the client, or for it by the server.
    package var reset: Instant?
    /// Whether the server reset it.
    package var isResetByServer = false
    /// Whether an answer may have come, or the rest of one, that could not be read.
    package var mayBeAnswered = false
    /// The value of Range, if there is one.
    package var range: String?
    /// What came of the body of its answer.
    package var received = ReceivedBody()
    /// The packet that completed the answer; nil if its end was not delivered, or cannot be told.
    package var completed: ObservedPacket?

    /// A body, by which two requests are told apart.
    package struct Body: Hashable, Sendable {
        /// FNV-1a of its bytes, 64 bits wide.
        private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        /// Its length in bytes.
        private var length = 0

        package init() {}

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            length += bytes.count
        }
    }

    package init(method: String, target: String, packet: ObservedPacket) {
        (self.method, self.target, self.packet) = (method, target, packet)
    }

    /// Whether a client may repeat it without asking: the idempotent methods of RFC 9110, section 9.2.2.
    package var isSafeToRepeat: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || idempotencyKey != nil
    }
}

/// A request with its connection and the one that it repeats.
package struct SentRequest: Hashable, Sendable {
    package var request: HTTPRequest
    /// The number of its connection among those that were asked.
    package var connection: Int
    /// What became of it.
    package let outcome: RequestOutcome
    /// The latest request before it with the same method, target, host and body, if that was not answered; nil otherwise.
    package var repeated: HTTPRequest?
    /// What became of that.
    package var repeatedOutcome = RequestOutcome.unanswered
    /// The number of its connection.
    package var repeatedConnection: Int?
    /// Whether both bodies were seen whole, and the answers to the first: else it may be another request, or answered.
    package var isCertain = true
}

/// What two requests have in common of which one repeats the other.
private struct RequestKey: Hashable {
    let words: [String?]
    /// Nil for the latest of all, or of those whose body was not seen whole.
    var body: HTTPRequest.Body?
    var isUnseen = false

    init(_ request: HTTPRequest) { words = [request.method, request.target, request.host, request.contentType] }
}

extension [Connection] {
    /// The requests of connections, in the order in which they were sent.
    ///
    /// - Parameters:
    ///   - begin: requests before this moment are left out; nil for all.
    ///   - life: the life of a connection; nil to go by its packets alone.
    package func sentRequests(
        since begin: Instant? = nil,
        life: (Connection) -> ConnectionLife? = { _ in nil }
    ) -> [SentRequest] {
        let all = indices.flatMap { index in
            let life = self[index].requests.isEmpty ? nil : life(self[index])
            return self[index].requests.map {
                SentRequest(request: $0, connection: index, outcome: self[index].outcome(of: $0, life))
            }
        }
        .filter { sent in begin.map { sent.request.packet.sent >= $0 } ?? true }
        .sorted {
            ($0.request.packet.sent, $0.request.packet.number) < ($1.request.packet.sent, $1.request.packet.number)
        }
        // The latest without an answer: with each body, without one that was seen, and of all.
        var failed: [RequestKey: SentRequest] = [:]
        return all.map { sent in
            let request = sent.request
            let any = RequestKey(request)
            var own = any
            (own.body, own.isUnseen) = (request.body, request.body == nil)
            var unseen = any
            unseen.isUnseen = true
            let certain = request.body == nil ? nil : failed[own]
            let first = certain ?? failed[request.body == nil ? any : unseen]
            // Its answer did not come: what is sent later repeats it.
            let hasFailed = sent.outcome != .answered && !request.isUnprocessed
            failed[own] = hasFailed ? sent : nil
            failed[any] = hasFailed ? sent : failed[any].flatMap { $0 == first ? nil : $0 }
            guard let first, first.request.packet.number != request.packet.number else { return sent }
            var repetition = sent
            (repetition.repeated, repetition.repeatedOutcome) = (first.request, first.outcome)
            repetition.repeatedConnection = first.connection
            repetition.isCertain = certain != nil && first.outcome == .unanswered
            return repetition
        }
    }
}
