// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// What is said on a TCP connection, as far as its protocol is known: HTTP/1, TLS or DNS.
struct Conversation {
    private enum Subject {
        /// The client has said nothing.
        case open
        case known(any StreamReader)
        case unknown
    }

    private let isDNS: Bool
    private var subject = Subject.open
    private var client = StreamAssembler()
    private var server = StreamAssembler()

    init(isDNS: Bool) { self.isDNS = isDNS }

    /// Takes a segment. What the client sent counts even if it was lost; of the server, what was delivered.
    mutating func add(
        _ tcp: TCPHeader,
        _ payload: ArraySlice<UInt8>,
        length: Int,
        from side: Connection.Side,
        _ timed: TimedPacket,
        _ room: inout StreamAssembler.Room
    ) {
        if case .unknown = subject { return }
        guard !timed.isDamaged else { return }
        let begin = tcp.sequence &+ (tcp.flags.contains(.syn) ? 1 : 0)
        if tcp.flags.contains(.syn) {
            if side == .client { client.begin(at: begin) } else { server.begin(at: begin) }
        }
        guard length > 0, !tcp.flags.contains(.reset) else { return }
        guard side == .client ? timed.isSent : timed.observed.delivered != nil else { return }
        var pieces: [StreamPiece] = []
        if side == .client {
            client.add(begin, payload, length: length, timed.observed, &room) { pieces.append($0) }
        } else {
            server.add(begin, payload, length: length, timed.observed, &room) { pieces.append($0) }
        }
        for piece in pieces { take(piece, from: side) }
        if client.isBroken, server.isBroken { finish() }
        if case .unknown = subject {
            client.clear(&room)
            server.clear(&room)
        }
    }

    /// Adds what was learnt to the connection.
    func describe(_ connection: inout Connection) {
        if case .known(let reader) = subject { reader.describe(&connection) }
        finished?.describe(&connection)
    }

    /// The DNS messages that have come since the last time.
    mutating func takeMessages() -> [DNSStream.Message] {
        guard isDNS, case .known(let reader) = subject, var stream = reader as? DNSStream else { return [] }
        defer { subject = .known(stream) }
        return stream.drain()
    }

    /// The reader that has learnt all it can.
    private var finished: (any StreamReader)?

    private mutating func take(_ piece: StreamPiece, from side: Connection.Side) {
        if case .open = subject { subject = recognize(piece, side).map { .known($0) } ?? .unknown }
        guard case .known(var reader) = subject else { return }
        // One owner at a time: nothing is copied.
        subject = .unknown
        reader.take(piece, from: side)
        subject = .known(reader)
        if reader.isFinished { finish() }
    }

    private mutating func finish() {
        if case .known(let reader) = subject { finished = reader }
        subject = .unknown
    }

    private func recognize(_ piece: StreamPiece, _ side: Connection.Side) -> (any StreamReader)? {
        if isDNS { return DNSStream() }
        guard side == .client, let first = piece.bytes.first else { return nil }
        if first == TLSRecord.handshake { return TLSHandshake() }
        return UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first ? HTTPExchange() : nil
    }
}
