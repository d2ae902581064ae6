// SPDX-License-Identifier: Apache-2.0

/// Reads a connection's requests and their answers in HTTP/2 (RFC 9113), including gRPC.
struct HTTP2Exchange: StreamReader {
    /// REFUSED_STREAM: the server has not processed the request (RFC 9113, section 8.7).
    private static let refusedStream: UInt32 = 7
    /// The maximum bytes of header fields that are kept of a connection: a few compressed bytes may stand for long
    /// fields (RFC 7541, section 7.3).
    private static let maximumText = 8 << 20

    private var requests: [ObservedRequest] = []
    /// The stream of each request.
    private var streams: [UInt32] = []
    /// The index of the request on each open stream.
    private var open: [UInt32: Int] = [:]
    /// The bodies, by stream, of requests that are still being sent; nil if a part of one was not kept.
    private var bodies: [UInt32: ObservedRequest.Body?] = [:]
    /// The latest stream that the client has opened.
    private var latest: UInt32 = 0
    /// The last stream that the server may have processed.
    private var lastProcessed = UInt32.max
    private var text = 0
    /// The server's packet that was delivered last.
    private var latestOfServer: ObservedPacket?
    private let budget: ReadingBudget
    private var hasUnkept = false
    private var client: HTTP2Frames
    private var server: HTTP2Frames

    /// Makes a reader of a connection that starts with HTTP/2, or switches to it: then the HTTP/1 request `upgraded` is
    /// answered on the first stream (RFC 7540, section 3.2).
    init(_ decoders: any StreamDecoders, _ budget: ReadingBudget, upgraded request: ObservedRequest? = nil) {
        self.budget = budget
        client = HTTP2Frames(decoders.makeHeaderDecoder(), hasPreface: true)
        server = HTTP2Frames(decoders.makeHeaderDecoder(), hasPreface: false)
        guard let request else { return }
        (requests, streams, open, latest) = ([request], [1], [1: 0], 1)
    }

    var isFinished: Bool { client.hasEnded && server.hasEnded }
    var needsAllBytes: Bool { true }

    func describe(_ connection: inout Connection) {
        (connection.hasUnreadRequests, connection.hasUnkeptRequests) = (client.hasEnded, hasUnkept)
        connection.requests += zip(requests, streams).map { request, stream in
            var request = request
            if stream > lastProcessed { request.isUnprocessed = true }
            request.mayBeAnswered = server.hasEnded && request.completed == nil
            return request
        }
    }

    mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        // Events are collected first: their handlers change `self`, which the reading of `client` or `server` accesses.
        var events: [(HTTP2Frames.Event, UInt32, ObservedPacket)] = []
        if side == .client {
            client.read(piece) { events.append(($0, $1, $2)) }
            for (event, stream, first) in events { readClient(event, stream, first) }
        } else {
            server.read(piece) { events.append(($0, $1, $2)) }
            let latest = piece.packet.latest(latestOfServer)
            latestOfServer = latest
            for (event, stream, _) in events { readServer(event, stream, piece.packet, latest) }
        }
    }

    private mutating func readClient(_ event: HTTP2Frames.Event, _ stream: UInt32, _ first: ObservedPacket) {
        switch event {
        case .head(let head):
            // A second header block on a stream is trailers.
            guard stream > latest, let request = head.request(first) else { return }
            text += head.length
            guard text <= Self.maximumText else { return client.end() }
            latest = stream
            guard budget.reserve(request) else { return hasUnkept = true }
            open[stream] = requests.count
            bodies[stream] = .some(.init())
            requests.append(request)
            streams.append(stream)
        case .data(let bytes, let missing):
            guard let body = bodies[stream] else { return }
            var known = body
            known?.add(bytes)
            bodies[stream] = .some(missing > 0 ? nil : known)
        case .end:
            // The server may have reset the stream already.
            guard let body = bodies.removeValue(forKey: stream), let index = open[stream] else { return }
            requests[index].body = body
        case .reset:
            if let index = open[stream] { requests[index].reset = first.sent }
            close(stream)
        // A client's GOAWAY concerns only the server's pushes.
        case .goAway: break
        }
    }

    private mutating func readServer(
        _ event: HTTP2Frames.Event,
        _ stream: UInt32,
        _ packet: ObservedPacket,
        _ latest: ObservedPacket
    ) {
        if case .goAway = event { lastProcessed = min(lastProcessed, stream) }
        guard let index = open[stream] else { return }
        switch event {
        case .head(let head):
            requests[index].grpcStatus = head.grpcStatus ?? requests[index].grpcStatus
            guard let status = head.status, !(100...199 ~= status), requests[index].answer == nil else { return }
            (requests[index].status, requests[index].answer) = (status, packet)
            requests[index].received.begin = head["content-range"].flatMap(ReceivedBody.begin(ofContentRange:)) ?? 0
            requests[index].received.isIndivisible = head["accept-ranges"]?.lowercased() == "none"
            requests[index].received.length = head["content-length"].flatMap { Int(digits: $0) }
        case .end:
            requests[index].completed = latest
            requests[index].received.complete()
            // The client may still be sending the request's body: until then, the stream stays open.
            open[stream] = bodies[stream] == nil ? nil : index
        case .reset(let code):
            if code == Self.refusedStream { requests[index].isUnprocessed = true }
            (requests[index].reset, requests[index].isResetByServer) = (packet.delivered, true)
            close(stream)
        case .data(let bytes, let missing):
            guard let delivered = packet.delivered else { return }
            requests[index].received.note(requests[index].received.bytes + bytes.count + missing, at: delivered)
        case .goAway: break
        }
    }

    private mutating func close(_ stream: UInt32) { (open[stream], bodies[stream]) = (nil, nil) }
}
