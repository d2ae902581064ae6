// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// The life of a connection for a client: its start, and the moment at which the client closed it.
package struct ConnectionLife {
    let connection: Connection
    /// The time at which the client sent its first packet.
    package let begin: Instant
    /// A time at which the client still had it; the same as `end` if a packet tells.
    let lastHeld: Instant
    /// The time at which it was certainly gone for the client; in the distant future if it was open at the end.
    package let end: Instant
    /// A time at which the client was still asking for it, by a packet or a look at the sockets.
    private let lastAsked: Instant
    /// Whether the server refused it.
    private let isRefused: Bool
    /// The packet by which the client ended it; nil if none tells.
    let ending: ObservedPacket?
    /// The client gave it up before it was accepted, or its kernel did later, without a packet.
    package let wasGivenUp: Bool
    /// The client closed it before a packet told.
    package let wasClosedBefore: Bool

    fileprivate init?(_ connection: Connection, _ lives: ConnectionLives) {
        let record = lives.record
        let next = lives.nextStart(after: connection)
        guard connection.carrier == .tcp else { return nil }
        guard let first = connection.firstPacket else { return nil }
        self.connection = connection
        begin = first.sent
        let reset = connection.ending(by: .server, .reset)?.noticed
        let clientEnd = connection.ending(by: .client)
        let finish = clientEnd?.packet
        let accepted = connection.accepted?.delivered ?? .distantFuture
        let refused = reset ?? .distantFuture
        // The kernel answers with RST if anything reaches an attempt that was given up.
        let givenUp = lives.change(.asked, of: connection, since: first.sent, before: next)
            .flatMap { $0.gone < min(accepted, refused) ? $0 : nil }
        // The kernel keeps FIN back until the other side has confirmed what was sent before.
        let closed = lives.change(.closed, of: connection, since: first.sent, before: next)
            .flatMap { $0.gone < min(finish?.sent ?? .distantFuture, refused) ? $0 : nil }
        // After TCP_USER_TIMEOUT or tcp_retries2, which no packet shows, the kernel answers with RST what still comes.
        let removed =
            clientEnd?.isOfKernel ?? true
            ? lives.change(.removed, of: connection, since: first.sent, before: next).flatMap { change in
                change.gone < min(finish?.sent ?? .distantFuture, refused) ? change : nil
            } : nil
        ending = givenUp == nil && closed == nil && removed == nil ? finish : nil
        wasGivenUp = givenUp != nil || closed == nil && removed != nil
        wasClosedBefore = givenUp == nil && closed != nil
        let lastPacket = connection.clientPackets.last?.sent ?? first.sent
        let asked = lives.change(.asked, of: connection, since: first.sent, before: next)?.last
        isRefused = connection.accepted == nil && reset != nil
        lastAsked = max(asked ?? first.sent, lastPacket)
        let (held, gone): (Instant, Instant)
        if let givenUp {
            let last = connection.clientPackets.last { $0.sent <= givenUp.gone }?.sent ?? first.sent
            (held, gone) = (max(givenUp.last, last), givenUp.gone)
        } else if let closed {
            (held, gone) = (max(closed.last, first.sent), closed.gone)
        } else if let removed {
            (held, gone) = (max(removed.last, first.sent), removed.gone)
        } else if let finish, finish.sent <= refused, clientEnd?.isOfKernel == true {
            // The client closed it some time before: the kernel answers later packets.
            held = connection.clientPackets.last { $0.sent < finish.sent }?.sent ?? first.sent
            gone = max(held, connection.arrival(before: finish))
        } else if let finish, finish.sent <= refused {
            (held, gone) = (finish.sent, finish.sent)
        } else if let reset {
            (held, gone) = (reset, reset)
        } else if next == nil, lives.isOpenAtEnd(connection) {
            (held, gone) = (.distantFuture, .distantFuture)
        } else if connection.accepted != nil {
            // No packet shows its end, which is then the process's.
            (held, gone) = (min(lastPacket, record.end), record.end)
        } else if let period = record.samplingPeriod {
            // The client closed it silently, between two looks.
            (held, gone) = (lastPacket, min(lastPacket + period * 4, max(record.end, lastPacket)))
        } else {
            (held, gone) = (min(lastPacket, record.end), record.end)
        }
        // Another connection has its ports from then on.
        (lastHeld, end) = (min(held, next ?? held), min(gone, next ?? gone))
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
        guard let reset = connection.ending(by: .client, .reset) else { return true }
        guard reset.isOfKernel else { return delivered <= reset.packet.sent }
        // Packets that came before its FIN had reached it, whatever the kernel refuses after that.
        if let finish = connection.ending(by: .client, .finish)?.packet, delivered <= finish.sent,
            finish.sent <= reset.packet.sent
        {
            return true
        }
        return delivered < connection.arrival(before: reset.packet)
    }

    /// Until when the client certainly had it: where it lets go of an accepted one, a packet tells, or its socket.
    var surelyHeld: Instant {
        // The client may have given it up since, and its refusal still come.
        if isRefused { return min(lastHeld, lastAsked) }
        let isSilent = connection.accepted != nil && ending == nil && !wasGivenUp && !wasClosedBefore
        return isSilent && !connection.mayHaveEnded ? end : lastHeld
    }

    /// Whether the client certainly had it at `instant`, whatever happened between two looks at the sockets.
    func isSurelyOpen(at instant: Instant) -> Bool { begin <= instant && surelyHeld > instant }

    /// Whether the client had it at `instant`.
    func isOpen(at instant: Instant) -> Bool { begin <= instant && end > instant }

    /// The last answer before a silence of `limit` that begins at `start` or later; `start` if there is none.
    func lastAnswer(from start: Instant, within limit: Duration) -> Instant {
        var last = start
        for delivered in connection.answers.lazy.compactMap(\.delivered) where delivered > start {
            // Packets that reach a client which has closed the connection are no answer.
            guard delivered <= last + limit, delivered <= end else { break }
            last = delivered
        }
        return last
    }

    var name: String { connection.title }
}

extension Connection {
    /// "the connection of curl (123) to 192.0.2.1:80 of packet 5"
    var title: String {
        let packet = firstPacket.map { " of packet \($0.number)" } ?? ""
        return "the connection\(ownership) to \(peerName)\(packet)"
    }

    /// The time at which the answer arrived that a kernel refuses with this RST; when it was sent if none is known.
    fileprivate func arrival(before reset: ObservedPacket) -> Instant {
        answers.last { $0.delivered ?? .distantFuture <= reset.sent }?.delivered ?? reset.sent
    }

    /// " of curl (123)", or nothing if that is not known.
    var ownership: String { owners.first.map { " of \($0)" } ?? "" }
}

/// The lives of the connections of a run, each found without a search through the whole record.
package struct ConnectionLives {
    let record: RunRecord
    private let changes: [SocketEnds: [RunRecord.SocketChange]]
    private let openAtEnd: Set<SocketEnds>
    /// The time at which connections began that had one of these sockets.
    private var starts: [SocketEnds: [Instant]] = [:]

    /// Prepares the lives of the connections of a run.
    package init(_ record: RunRecord, _ connections: [Connection]) {
        self.record = record
        changes = Dictionary(grouping: record.socketChanges, by: \.socket)
        openAtEnd = Set(record.openAtEnd.map(\.socket))
        // Most connections tell their own end.
        let silent = connections.filter { $0.carrier == .tcp && $0.endings.isEmpty }.map { SocketEnds(of: $0) }
        let unclear = Set(silent).union(changes.keys).union(openAtEnd)
        guard !unclear.isEmpty else { return }
        for connection in connections where connection.carrier == .tcp {
            let ends = SocketEnds(of: connection)
            guard unclear.contains(ends), let first = connection.firstPacket else { continue }
            starts[ends, default: []].append(first.sent)
        }
    }

    /// The time at which the next connection began with the ends of this one; nil if none did.
    fileprivate func nextStart(after connection: Connection) -> Instant? {
        guard let begin = connection.firstPacket?.sent else { return nil }
        return starts[SocketEnds(of: connection)]?.filter { $0 > begin }.min()
    }

    /// The life of a TCP connection; nil for others, whose end no packet tells.
    package func life(of connection: Connection) -> ConnectionLife? { ConnectionLife(connection, self) }

    /// The packet that accepted a connection while the client still had it; nil for one that was never accepted.
    package func acceptance(of connection: Connection) -> ObservedPacket? {
        guard connection.accepted != nil, let life = life(of: connection) else { return connection.accepted }
        return life.accepted
    }

    /// The first change of a connection's socket since its start, and of no later connection: ports are used again.
    fileprivate func change(
        _ kind: RunRecord.SocketChange.Kind,
        of connection: Connection,
        since begin: Instant,
        before next: Instant?
    ) -> RunRecord.SocketChange? {
        changes[SocketEnds(of: connection)]?.first { change in
            change.kind == kind && change.gone >= begin && next.map { change.last < $0 } ?? true
        }
    }

    fileprivate func isOpenAtEnd(_ connection: Connection) -> Bool { openAtEnd.contains(SocketEnds(of: connection)) }
}
