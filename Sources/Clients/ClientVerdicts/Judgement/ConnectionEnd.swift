// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// The end of a connection: its kind, its time, and the side that ended it.
package struct ConnectionEnd: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// A side sent FIN first.
        case finished
        /// A side sent RST.
        case reset
        /// The client gave up before the connection was accepted.
        case givenUp = "given up"
        /// The client's process ended, or no packet shows the end.
        case silent
        /// The connection was open when the command had ended.
        case open
    }

    /// The kinds of packets after the end.
    package enum Rest: Hashable, Sendable {
        /// Packets that the client's kernel sends for the closed socket, and packets that it rejects.
        case ofKernel
        /// Answers, which a client may still read after its FIN; its retransmissions are the kernel's.
        case answers
        /// The connection may have lasted longer.
        case unknown
    }

    package let kind: Kind
    /// The side that ended the connection, for `finished` and `reset`.
    package let side: Connection.Side?
    /// The time at which the connection ended for the client; nil if it is not known.
    package let moment: Instant?
    package let rest: Rest
    private let carrier: Connection.Carrier
    /// Whether a fault has ended the connection in the server's name.
    private let isOfFault: Bool

    fileprivate init(
        _ kind: Kind,
        of connection: Connection,
        by side: Connection.Side? = nil,
        at moment: Instant?,
        then rest: Rest
    ) {
        (self.kind, self.side, self.moment, self.rest, carrier) = (kind, side, moment, rest, connection.carrier)
        isOfFault = side == .server && connection.endings.contains { $0.side == .server && $0.isOfFault }
    }

    /// "client", "server", or "fault" if a fault ended the connection in the server's name.
    package var ender: String? { isOfFault ? "fault" : side?.rawValue }

    /// The end in words: "closed by the client at 3 s".
    package func words(at time: String) -> String {
        let ender = isOfFault ? "a fault" : "the \(side?.rawValue ?? "client")"
        return switch kind {
        case .finished: "closed by \(ender) at \(time)"
        case .reset: "reset by \(ender) at \(time)"
        case .givenUp: "given up at \(time)"
        case .silent: carrier == .tcp ? "ended without a packet at \(time)" : "last packet at \(time)"
        case .open: "open when the command had ended"
        }
    }
}

extension ConnectionLives {
    /// Finds the end of a connection.
    ///
    /// - Parameter life: the connection's life; nil unless the connection is TCP.
    package func end(of connection: Connection, _ life: ConnectionLife?) -> ConnectionEnd {
        guard let life else { return ConnectionEnd(.silent, of: connection, at: nil, then: .unknown) }
        if life.wasGivenUp { return ConnectionEnd(.givenUp, of: connection, at: life.end, then: .ofKernel) }
        if life.wasClosedBefore {
            return ConnectionEnd(.finished, of: connection, by: .client, at: life.end, then: .ofKernel)
        }
        if let (moment, kind) = connection.departure {
            let kind: ConnectionEnd.Kind = kind == .reset ? .reset : .finished
            return ConnectionEnd(kind, of: connection, by: .client, at: moment, then: .ofKernel)
        }
        // The client has not closed the connection, even if the server has sent FIN.
        if life.end == .distantFuture {
            return ConnectionEnd(.open, of: connection, at: record.end, then: .unknown)
        }
        let lifeEnd = min(life.end, record.end)
        guard let first = connection.endings.first else {
            let kind: ConnectionEnd.Kind = connection.accepted == nil ? .givenUp : .silent
            return ConnectionEnd(kind, of: connection, at: lifeEnd, then: .unknown)
        }
        // A reset of either side takes precedence over earlier FINs.
        let reset = connection.endings.first { $0.kind == .reset }
        let ending = reset ?? first
        return ConnectionEnd(
            reset == nil ? .finished : .reset,
            of: connection,
            by: ending.side,
            at: max(ending.noticed ?? ending.packet.sent, lifeEnd),
            then: connection.ending(by: .client) != nil ? .answers : .unknown
        )
    }
}

extension Connection {
    /// The time within which the kernel answers a packet for a closed socket.
    private static let reaction = Duration.milliseconds(10)

    /// The time at which the client closed or reset a connection that ends with the client's RST, and which of both it
    /// did; nil without such an RST.
    ///
    /// The kernel answers with RST a packet for a socket that the client has already closed with FIN.
    fileprivate var departure: (moment: Instant, kind: Ending.Kind)? {
        guard let reset = ending(by: .client, .reset)?.packet.sent else { return nil }
        guard let finish = ending(by: .client, .finish)?.packet.sent, finish <= reset else { return (reset, .reset) }
        let next = answers.lazy.compactMap(\.delivered).first { $0 > finish } ?? reset
        return next + Self.reaction >= reset ? (finish, .finish) : (reset, .reset)
    }
}
