// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Reads both sides of a TCP connection if the protocol is known: HTTP, TLS or DNS.
struct Conversation {
    private let isDNS: Bool
    /// The reader of the protocol; nil until the first bytes have shown the protocol.
    private var reader: (any StreamReader)?
    /// Whether nothing more is read: the protocol is unknown, its reader has finished, or bytes are missing on both
    /// sides.
    private var isOver = false
    private var client = StreamAssembler()
    private var server = StreamAssembler()
    /// The sequence number of the server's FIN; nil if none was delivered.
    private var serverEnd: TCPSequence?

    private let decoders: (any StreamDecoders)?
    private let budget: ReadingBudget

    /// - Parameter decoders: nil if TLS is not decrypted, and HTTP/2 not read.
    init(isDNS: Bool, _ decoders: (any StreamDecoders)?, _ budget: ReadingBudget) {
        (self.isDNS, self.decoders, self.budget) = (isDNS, decoders, budget)
    }

    /// Adds a segment. A segment of the client is read even if the link lost it; one of the server, only if it was
    /// delivered.
    mutating func add(
        _ tcp: TCPHeader,
        _ payload: ArraySlice<UInt8>,
        length: Int,
        from side: Connection.Side,
        _ timed: TimedPacket,
        _ room: inout StreamAssembler.Room
    ) {
        guard !isOver else { return }
        guard !timed.isDamaged else {
            guard side == .client, timed.isSent, length > 0 else { return }
            return client.addUnknown(tcp.sequence, length: length, timed.observed)
        }
        let begin = tcp.sequence + (tcp.flags.contains(.syn) ? 1 : 0)
        if tcp.flags.contains(.syn) {
            if side == .client { client.begin(at: begin) } else { server.begin(at: begin) }
        }
        if side == .server, tcp.flags.contains(.fin), timed.observed.delivered != nil {
            serverEnd = begin + length
        }
        guard length > 0, !tcp.flags.contains(.reset) else { return }
        guard side == .client ? timed.isSent : timed.observed.delivered != nil else { return }
        let keeps = reader?.needsAllBytes == true ? StreamAssembler.Room.ofDecodedStream : StreamAssembler.Room.ofStream
        let pieces =
            side == .client
            ? client.add(begin, payload, length: length, timed.observed, keeping: keeps, &room)
            : server.add(begin, payload, length: length, timed.observed, keeping: keeps, &room)
        for piece in pieces { read(piece, from: side) }
        if client.isBroken, server.isBroken { isOver = true }
        if isOver {
            client.clear(&room)
            server.clear(&room)
        }
    }

    /// Adds what was read to the connection.
    func describe(_ connection: inout Connection) {
        reader?.describe(&connection)
        guard reader != nil else { return }
        if client.isBroken || !isOver && client.hasUnread { connection.hasUnreadRequests = true }
        if let serverEnd, !server.hasReached(serverEnd) { connection.reopenAnswers() }
        guard server.isBroken else { return }
        for index in connection.requests.indices where connection.requests[index].completed == nil {
            connection.requests[index].mayBeAnswered = true
        }
    }

    /// Removes and returns the DNS messages that have been completed since the last call.
    mutating func drainMessages() -> [DNSStreamReader.Message] {
        guard !isOver, var stream = reader as? DNSStreamReader else { return [] }
        defer { reader = stream }
        return stream.drain()
    }

    private mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        guard !isOver else { return }
        if reader == nil { reader = recognize(piece, side) }
        reader?.read(piece, from: side)
        isOver = reader?.isFinished ?? true
    }

    private func recognize(_ piece: StreamPiece, _ side: Connection.Side) -> (any StreamReader)? {
        if isDNS { return DNSStreamReader() }
        if side == .client, piece.bytes.first == TLSRecord.handshake {
            guard let decoders, budget.reserve(ReadingBudget.Size.decoder) else { return TLSHandshake() }
            return TLSConversation(decoders, budget)
        }
        return HTTPConversation(decoders, budget)
    }
}

extension Connection {
    /// Marks an answer that the server's FIN ends as incomplete: bytes before the FIN were not delivered.
    fileprivate mutating func reopenAnswers() {
        let end = endings.first { $0.kind == .finish && $0.side == .server }?.packet
        for index in requests.indices where requests[index].completed == end { requests[index].completed = nil }
    }
}
