// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// The life of a connection for a client: its start, and the moment at which the client closed it.
package struct ConnectionLife {
    let connection: Connection
    /// The time at which the client sent its first packet.
    package let begin: Instant
    /// The latest time at which the client certainly still had the connection; `end` if a packet shows the end.
    let lastHeld: Instant
    /// The time by which the connection had certainly ended for the client; `distantFuture` if it was open at the end.
    package let end: Instant
    /// The latest time at which the client was still connecting, by a packet or a scan of the sockets.
    private let lastAsked: Instant
    /// Whether the server refused the connection.
    private let isRefused: Bool
    /// The packet by which the client ended the connection; nil if no packet shows the end.
    let ending: ObservedPacket?
    /// Whether the client gave up before the connection was accepted, or its kernel timed the connection out, without a
    /// packet.
    package let wasGivenUp: Bool
    /// Whether the client closed the socket before any packet (its FIN, or the server's RST) showed an end.
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
        // The kernel answers a packet for an abandoned attempt with RST.
        let givenUp = lives.change(.asked, of: connection, since: first.sent, before: next)
            .flatMap { $0.gone < min(accepted, refused) ? $0 : nil }
        // The kernel sends FIN only after the buffered data, which waits until earlier data is acknowledged.
        let closed = lives.change(.closed, of: connection, since: first.sent, before: next)
            .flatMap { $0.gone < min(finish?.sent ?? .distantFuture, refused) ? $0 : nil }
        // The kernel removes a socket after TCP_USER_TIMEOUT or tcp_retries2 without a packet, and then answers any
        // packet with RST.
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
            // The client closed the connection some time before: the RST is the kernel's answer to a later packet.
            held = connection.clientPackets.last { $0.sent < finish.sent }?.sent ?? first.sent
            gone = max(held, connection.arrival(before: finish))
        } else if let finish, finish.sent <= refused {
            (held, gone) = (finish.sent, finish.sent)
        } else if let reset {
            (held, gone) = (reset, reset)
        } else if next == nil, lives.isOpenAtEnd(connection) {
            (held, gone) = (.distantFuture, .distantFuture)
        } else if connection.accepted != nil {
            // No packet shows the end: the connection ended with the process.
            (held, gone) = (min(lastPacket, record.end), record.end)
        } else if let period = record.samplingPeriod {
            // The client closed the connection without a packet, between two scans of the sockets.
            (held, gone) = (lastPacket, min(lastPacket + period * 4, max(record.end, lastPacket)))
        } else {
            (held, gone) = (min(lastPacket, record.end), record.end)
        }
        // The connection ended at the latest when another one started with the same ports.
        (lastHeld, end) = (min(held, next ?? held), min(gone, next ?? gone))
    }

    /// The packet that accepted the connection while the client still had it; nil if the client had given up before.
    package var accepted: ObservedPacket? {
        connection.accepted.flatMap { packet in packet.delivered ?? .distantFuture <= end ? packet : nil }
    }

    /// Whether an answer reached a client that still had the connection. After its FIN, a client may still read; if it
    /// does not, the kernel answers with RST.
    package func isAnswered(by packet: ObservedPacket) -> Bool {
        guard let delivered = packet.delivered else { return false }
        if wasGivenUp || wasClosedBefore { return delivered < end }
        guard let reset = connection.ending(by: .client, .reset) else { return true }
        guard reset.isOfKernel else { return delivered <= reset.packet.sent }
        // Packets before the FIN reached the client, even if the kernel rejected later ones.
        if let finish = connection.ending(by: .client, .finish)?.packet, delivered <= finish.sent,
            finish.sent <= reset.packet.sent
        {
            return true
        }
        return delivered < connection.arrival(before: reset.packet)
    }

    /// The time until which the client certainly had the connection. The end of an accepted one is shown by a packet or
    /// by a scan of the sockets.
    var surelyHeld: Instant {
        // The client may have given up before the refusal arrived.
        if isRefused { return min(lastHeld, lastAsked) }
        let isSilent = connection.accepted != nil && ending == nil && !wasGivenUp && !wasClosedBefore
        return isSilent && !connection.mayHaveEnded ? end : lastHeld
    }

    /// Whether the client certainly had the connection at `instant`, whatever happened between two scans of the
    /// sockets.
    func isSurelyOpen(at instant: Instant) -> Bool { begin <= instant && surelyHeld > instant }

    /// Whether the client had, or may have had, the connection at `instant`.
    func isOpen(at instant: Instant) -> Bool { begin <= instant && end > instant }

    /// The time of the last answer before the first silence of `limit` from `start` on; `start` if there is no answer
    /// before.
    func lastAnswer(from start: Instant, within limit: Duration) -> Instant {
        var last = start
        for delivered in connection.answers.lazy.compactMap(\.delivered) where delivered > start {
            // Packets after the client has closed the connection are no answers.
            guard delivered <= last + limit, delivered <= end else { break }
            last = delivered
        }
        return last
    }

    var name: String { connection.title }

    /// "closed": what ended the connection for the client, as far as it was seen.
    var ended: String {
        if wasGivenUp { return "given up" }
        if !wasClosedBefore, ending == nil, connection.ending(by: .server, .reset) != nil {
            return isRefused ? "refused" : "reset by the server"
        }
        return connection.accepted == nil ? "given up" : "closed"
    }
}

extension Connection {
    /// "the connection of curl (123) to 192.0.2.1:80 of packet 5"
    var title: String {
        let packet = firstPacket.map { " of packet \($0.number)" } ?? ""
        return "the connection\(ownership) to \(peerName)\(packet)"
    }

    /// The arrival time of the answer that a kernel rejected with `reset`; the sending time of `reset` if no such
    /// answer is known.
    fileprivate func arrival(before reset: ObservedPacket) -> Instant {
        answers.last { $0.delivered ?? .distantFuture <= reset.sent }?.delivered ?? reset.sent
    }

    /// " of curl (123)"; empty if the owner is not known.
    var ownership: String { owners.first.map { " of \($0)" } ?? "" }
}

/// The lives of a run's connections. Indexes the record once, so that no life needs a search through all of it.
package struct ConnectionLives {
    let record: RunRecord
    private let changes: [SocketEnds: [RunRecord.SocketChange]]
    private let openAtEnd: Set<SocketEnds>
    /// The start times of the connections with the same endpoints, where they matter.
    private var starts: [SocketEnds: [Instant]] = [:]

    /// Indexes the socket changes of `record`, and the starts of `connections`.
    package init(_ record: RunRecord, _ connections: [Connection]) {
        self.record = record
        changes = Dictionary(grouping: record.socketChanges, by: \.socket)
        openAtEnd = Set(record.openAtEnd.map(\.socket))
        // The packets of most connections show the end.
        let silent = connections.filter { $0.carrier == .tcp && $0.endings.isEmpty }.map { SocketEnds(of: $0) }
        let unclear = Set(silent).union(changes.keys).union(openAtEnd)
        guard !unclear.isEmpty else { return }
        for connection in connections where connection.carrier == .tcp {
            let ends = SocketEnds(of: connection)
            guard unclear.contains(ends), let first = connection.firstPacket else { continue }
            starts[ends, default: []].append(first.sent)
        }
    }

    /// The time at which the next connection with the same endpoints started; nil if none did.
    fileprivate func nextStart(after connection: Connection) -> Instant? {
        guard let begin = connection.firstPacket?.sent else { return nil }
        return starts[SocketEnds(of: connection)]?.filter { $0 > begin }.min()
    }

    /// The life of a TCP connection; nil for UDP and QUIC, whose end no packet shows.
    package func life(of connection: Connection) -> ConnectionLife? { ConnectionLife(connection, self) }

    /// The packet that accepted a connection while the client still had it; nil if there is none.
    package func acceptance(of connection: Connection) -> ObservedPacket? {
        guard connection.accepted != nil, let life = life(of: connection) else { return connection.accepted }
        return life.accepted
    }

    /// The first change of `kind` to a connection's socket between `begin` and `next`: ports are reused by later
    /// connections.
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
