// SPDX-License-Identifier: Apache-2.0

/// When a client began a connection and when it let go of it.
package struct ConnectionLife {
    let connection: Connection
    /// When the client sent its first packet.
    package let begin: Instant
    /// A time at which the client still had it; the same as `end` if a packet tells.
    let lastHeld: Instant
    /// When it was certainly gone for the client; in the distant future if it was open at the end.
    package let end: Instant
    /// The packet by which the client ended it; nil if none tells.
    let ending: ObservedPacket?
    /// The client gave it up before it was accepted.
    package let wasGivenUp: Bool
    /// The client closed it before a packet told.
    package let wasClosedBefore: Bool

    fileprivate init?(_ connection: Connection, _ lives: ConnectionLives) {
        let record = lives.record
        guard connection.carrier == .tcp else { return nil }
        guard let first = connection.firstPacket else { return nil }
        self.connection = connection
        begin = first.sent
        let reset = connection.endings.first { $0.side == .server && $0.kind == .reset }?.packet.delivered
        let clientEnd = connection.endings.first { $0.side == .client }
        let finish = clientEnd?.packet
        let accepted = connection.accepted?.delivered ?? .distantFuture
        let refused = reset ?? .distantFuture
        // What reaches an attempt that was given up, the kernel answers with RST.
        let givenUp = lives.change(.asked, of: connection, since: first.sent)
            .flatMap { $0.gone < min(accepted, refused) ? $0 : nil }
        // The kernel keeps FIN back until the other side has confirmed what was sent before.
        let closed = lives.change(.closed, of: connection, since: first.sent)
            .flatMap { $0.gone < min(finish?.sent ?? .distantFuture, refused) ? $0 : nil }
        ending = givenUp == nil && closed == nil ? finish : nil
        (wasGivenUp, wasClosedBefore) = (givenUp != nil, givenUp == nil && closed != nil)
        let lastPacket = connection.clientPackets.last?.sent ?? first.sent
        if let givenUp {
            let last = connection.clientPackets.last { $0.sent <= givenUp.gone }?.sent ?? first.sent
            (lastHeld, end) = (max(givenUp.last, last), givenUp.gone)
        } else if let closed {
            (lastHeld, end) = (max(closed.last, first.sent), closed.gone)
        } else if let finish, finish.sent <= refused, clientEnd?.isOfKernel == true {
            // It let go some time before: the kernel answers what comes after that.
            lastHeld = connection.clientPackets.last { $0.sent < finish.sent }?.sent ?? first.sent
            end = max(lastHeld, connection.arrival(before: finish))
        } else if let finish, finish.sent <= refused {
            (lastHeld, end) = (finish.sent, finish.sent)
        } else if let reset {
            (lastHeld, end) = (reset, reset)
        } else if lives.isOpenAtEnd(connection) {
            (lastHeld, end) = (.distantFuture, .distantFuture)
        } else if connection.accepted != nil {
            // No packet shows its end, which is then that of the process.
            (lastHeld, end) = (min(lastPacket, record.end), record.end)
        } else if let period = record.samplingPeriod {
            // It was closed, silently, between two looks.
            (lastHeld, end) = (lastPacket, min(lastPacket + period * 4, max(record.end, lastPacket)))
        } else {
            (lastHeld, end) = (min(lastPacket, record.end), record.end)
        }
    }

    /// The packet that accepted it while the client still had it: the kernel may accept what the client has given up.
    package var accepted: ObservedPacket? {
        connection.accepted.flatMap { packet in packet.delivered ?? .distantFuture <= end ? packet : nil }
    }

    /// Whether an answer came to a client that still had it. One that has sent FIN may still read; where it does not, its
    /// kernel answers with RST what comes.
    func isAnswered(by packet: ObservedPacket) -> Bool {
        guard let delivered = packet.delivered else { return false }
        if wasGivenUp || wasClosedBefore { return delivered < end }
        guard let reset = connection.endings.first(where: { $0.side == .client && $0.kind == .reset }) else {
            return true
        }
        guard reset.isOfKernel else { return delivered <= reset.packet.sent }
        return delivered < connection.arrival(before: reset.packet)
    }

    /// Whether the client had it at `instant`.
    func isOpen(at instant: Instant) -> Bool { begin <= instant && end > instant }

    /// The last answer before a silence of `limit` that begins at `start` or later; `start` if there is none.
    func lastAnswer(from start: Instant, within limit: Duration) -> Instant {
        var last = start
        for delivered in connection.answers.lazy.compactMap(\.delivered) where delivered > start {
            guard delivered <= last + limit else { break }
            last = delivered
        }
        return last
    }

    /// "the connection of curl (123) to 192.0.2.1:80 of packet 5"
    var name: String {
        let packet = connection.firstPacket.map { " of packet \($0.number)" } ?? ""
        return "the connection\(connection.ownership) to \(connection.peerName)\(packet)"
    }
}

extension Connection {
    /// The server, with its name if that is known.
    var peerName: String { serverName.map { "\($0) (\(server))" } ?? "\(server)" }

    /// When the answer arrived that a kernel refuses with this RST; when it was sent if none is known.
    fileprivate func arrival(before reset: ObservedPacket) -> Instant {
        answers.last { $0.delivered ?? .distantFuture <= reset.sent }?.delivered ?? reset.sent
    }

    /// " of curl (123)", or nothing if that is not known.
    var ownership: String { owners.first.map { " of \($0)" } ?? "" }
}

/// The lives of the connections of a run, each found without a search through the whole record.
package struct ConnectionLives {
    fileprivate let record: RunRecord
    private let changes: [SocketEnds: [RunRecord.SocketChange]]
    private let openAtEnd: Set<SocketEnds>

    /// Prepares the lives of a run.
    package init(_ record: RunRecord) {
        self.record = record
        changes = Dictionary(grouping: record.socketChanges, by: \.socket)
        openAtEnd = Set(record.openAtEnd.map(\.socket))
    }

    /// The life of a TCP connection; nil for others, whose end no packet tells.
    package func life(of connection: Connection) -> ConnectionLife? { ConnectionLife(connection, self) }

    /// The packet that accepted a connection while the client still had it; nil for one that was never accepted.
    package func acceptance(of connection: Connection) -> ObservedPacket? {
        guard connection.accepted != nil, let life = life(of: connection) else { return connection.accepted }
        return life.accepted
    }

    /// The first change of a connection's socket since its start: ports are used again.
    fileprivate func change(
        _ kind: RunRecord.SocketChange.Kind,
        of connection: Connection,
        since begin: Instant
    ) -> RunRecord.SocketChange? {
        changes[SocketEnds(of: connection)]?.first { $0.kind == kind && $0.gone >= begin }
    }

    fileprivate func isOpenAtEnd(_ connection: Connection) -> Bool { openAtEnd.contains(SocketEnds(of: connection)) }
}
