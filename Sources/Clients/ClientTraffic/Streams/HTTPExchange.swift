// SPDX-License-Identifier: Apache-2.0

/// Reads a connection's requests and their answers in HTTP/1 in the clear.
struct HTTPExchange: StreamReader {
    private let budget: ReadingBudget
    private var requests: [ObservedRequest] = []
    /// Whether the latest request is not kept; then no later one is, either.
    private var hasUnkept = false
    /// The number of answered requests: answers come in the order of the requests.
    private var answered = 0
    private var client = HTTPMessages(readsBodies: true)
    private var server = HTTPMessages(readsBodies: false)
    /// The server's packet that was delivered last. It may be later than the packet with an answer's last byte, if an
    /// earlier packet was retransmitted.
    private var latest: ObservedPacket?
    /// Whether the server's answer to the last request switches to HTTP/2.
    private var switchesToHTTP2 = false

    init(_ budget: ReadingBudget) { self.budget = budget }

    var isFinished: Bool { client.hasEnded && (server.hasEnded || answered == requests.count) }

    func describe(_ connection: inout Connection) {
        // If the answer of a request cannot be read, the request may have been answered.
        connection.requests = requests.enumerated().map { number, request in
            var request = request
            request.mayBeAnswered = server.hasEnded && (number >= answered || request.completed == nil)
            return request
        }
        let isOther = requests.last.map { $0.status == 101 || $0.method == "CONNECT" } ?? false
        connection.hasUnreadRequests = client.hasEnded && !isOther
        connection.hasUnkeptRequests = hasUnkept
        guard server.endsWithConnection, answered > 0 else { return }
        let end = connection.endings.first { $0.kind == .finish && $0.side == .server }?.packet
        if end?.delivered != nil { connection.requests[answered - 1].completed = end }
    }

    /// Once the server has switched to HTTP/2, returns the request that HTTP/2 answers, the requests before, and the
    /// server's bytes that follow; nil before.
    func upgradeToHTTP2() -> (request: ObservedRequest, earlier: [ObservedRequest], rest: StreamPiece)? {
        guard switchesToHTTP2, let request = requests.last, let rest = server.rest else { return nil }
        return (request, requests.dropLast(), rest)
    }

    mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        // The closures work on local copies: `self` must not change while its `client` or `server` is read.
        if side == .client {
            var found: [ObservedRequest] = []
            var endOfEarlier: ObservedRequest.Body?
            var hasUnkept = hasUnkept
            client.read(piece) { head, packet in
                guard let (method, target) = head.request else { return .foreign }
                var request = ObservedRequest(method: method, target: target, packet: packet)
                request.host = head["host"]
                request.idempotencyKey = head["idempotency-key"]
                (request.contentType, request.range) = (head["content-type"], head["range"])
                hasUnkept = !budget.reserve(request)
                if !hasUnkept { found.append(request) }
                return head.requestBody
            } completed: { body in
                guard !hasUnkept else { return }
                if found.isEmpty { endOfEarlier = body } else { found[found.count - 1].body = body }
            }
            if let endOfEarlier, !requests.isEmpty { requests[requests.count - 1].body = endOfEarlier }
            requests += found
            self.hasUnkept = hasUnkept
        } else {
            var (requests, answered, switchesToHTTP2) = (requests, answered, false)
            self.requests = []
            let latest = piece.packet.latest(latest)
            self.latest = latest
            server.read(piece) { head, packet in
                // An answer without a request, as when a server closes an idle connection (408).
                guard let status = head.status, answered < requests.count else { return .foreign }
                let body = head.answerBody(to: requests[answered].method)
                guard !(100...199 ~= status) || body == .foreign else { return body }
                switchesToHTTP2 =
                    status == 101 && head["upgrade"]?.lowercased() == "h2c" && answered == requests.count - 1
                if switchesToHTTP2 { return body }
                (requests[answered].status, requests[answered].answer) = (status, packet)
                requests[answered].received.begin =
                    head["content-range"].flatMap(ReceivedBody.begin(ofContentRange:)) ?? 0
                requests[answered].received.isIndivisible = head["accept-ranges"]?.lowercased() == "none"
                if case .length(let length) = body { requests[answered].received.length = length }
                answered += 1
                return body
            } completed: { _ in
                // The end of an interim answer (1xx) completes no answer.
                guard answered > 0, requests[answered - 1].completed == nil else { return }
                requests[answered - 1].completed = latest
                requests[answered - 1].received.complete()
            }
            if answered > 0, requests[answered - 1].completed == nil, let delivered = piece.packet.delivered {
                requests[answered - 1].received.note(server.bodyLength, at: delivered)
            }
            (self.requests, self.answered, self.switchesToHTTP2) = (requests, answered, switchesToHTTP2)
            // After a switch of protocols or a CONNECT, the client's bytes are not HTTP/1.
            if server.hasEnded, let status = requests.last?.status, status == 101 || 200...299 ~= status,
                status == 101 || requests.last?.method == "CONNECT"
            {
                client.end()
            }
        }
    }
}
