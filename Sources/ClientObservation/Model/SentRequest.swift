// SPDX-License-Identifier: Apache-2.0

/// A request of HTTP/1 in the clear, with its connection and the one that it repeats.
package struct SentRequest: Hashable, Sendable {
    /// The request.
    package var request: HTTPRequest
    /// The number of its connection among those that were asked.
    package var connection: Int
    /// The latest request before it with the same method, target and host, if that got no answer; nil otherwise.
    package var repeated: HTTPRequest?

    /// What two requests have in common of which one repeats the other.
    fileprivate struct Key: Hashable {
        var method: String
        var target: String
        var host: String?

        init(_ request: HTTPRequest) { (method, target, host) = (request.method, request.target, request.host) }
    }
}

extension [Connection] {
    /// The HTTP/1 requests of connections, in the order in which they were sent.
    ///
    /// - Parameter begin: requests before this moment are left out; nil for all.
    package func sentRequests(since begin: Instant? = nil) -> [SentRequest] {
        let all = indices.flatMap { index in
            self[index].requests.map { SentRequest(request: $0, connection: index, repeated: nil) }
        }
        .filter { sent in begin.map { sent.request.packet.sent >= $0 } ?? true }
        .sorted {
            ($0.request.packet.sent, $0.request.packet.number) < ($1.request.packet.sent, $1.request.packet.number)
        }
        var failed: [SentRequest.Key: HTTPRequest] = [:]
        return all.map { sent in
            let request = sent.request
            let key = SentRequest.Key(request)
            let first = failed[key]
            // Its answer did not come: what is sent later repeats it.
            failed[key] = request.answer == nil ? request : nil
            guard first?.packet.number != request.packet.number else { return sent }
            return SentRequest(request: request, connection: sent.connection, repeated: first)
        }
    }
}
