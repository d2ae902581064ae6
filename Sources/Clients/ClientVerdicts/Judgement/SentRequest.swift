// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// A request with its connection, and with the failed request that it repeats.
package struct SentRequest: Hashable, Sendable {
    package var request: ObservedRequest
    /// The index of the request's connection in the array.
    package var connection: Int
    /// The outcome of the request.
    package let outcome: RequestOutcome
    /// The latest earlier request with the same method, target, host, content type and body, if it was not answered;
    /// nil otherwise.
    package var repeated: ObservedRequest?
    /// The outcome of the repeated request.
    package var repeatedOutcome = RequestOutcome.unanswered
    /// The index of the repeated request's connection.
    package var repeatedConnection: Int?
    /// Whether both bodies are known, and the first request was certainly not answered: else this may be another
    /// request.
    package var isCertain = true
}

/// The properties that a request shares with its repetition.
private struct RequestKey: Hashable {
    let words: [String?]
    /// The body; nil in the keys for the latest request with any body, or with an unknown body (`isUnseen`).
    var body: ObservedRequest.Body?
    var isUnseen = false

    init(_ request: ObservedRequest) { words = [request.method, request.target, request.host, request.contentType] }
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
        // The latest unanswered requests: with each body, with an unknown body, and with any body.
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
            // A later request with this key repeats this one, unless this one was answered.
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
