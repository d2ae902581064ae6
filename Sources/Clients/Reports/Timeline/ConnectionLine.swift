// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts

/// One connection of a timeline. All times count from the start of the command.
struct ConnectionLine: Hashable, Sendable {
    /// How it came to its end.
    enum End: String, Hashable, Sendable {
        /// A side sent FIN first.
        case finished
        /// A side sent RST.
        case reset
        /// The client stopped asking for it before it was accepted.
        case givenUp = "given up"
        /// Its process ended, or no packet tells.
        case silent
        /// It was open when the command had ended.
        case open
    }

    /// A time in which nothing arrived from the server.
    struct Silence: Hashable, Sendable {
        var begin: Duration
        var end: Duration
    }

    /// Of one connection no more times than this are kept of a kind, the first ones.
    static let timeLimit = 200
    /// A silence shorter than this is not shown.
    private static let shortestSilence = Duration.seconds(1)

    let connection: Connection
    private let clock: RunClock
    /// The number of its first packet in the capture.
    let packet: Int
    let begin: Duration
    /// When it was accepted; nil if the client had it no longer then.
    let accepted: Duration?
    let end: Duration
    let ending: End
    /// Who ended it, for `finished` and `reset`.
    let endedBy: Connection.Side?
    /// Who ended it, in words: what a fault does in the server's name is none of the server's doings.
    var ender: String? {
        let isOfFault = endedBy == .server && connection.endings.contains { $0.side == .server && $0.isOfFault }
        return isOfFault ? "fault" : endedBy?.rawValue
    }

    /// Times of a second or more in which nothing arrived.
    let silences: [Silence]

    /// Draws a connection; nil for one without a packet of the client.
    init?(_ connection: Connection, _ life: ConnectionLife?, _ record: RunRecord, _ clock: RunClock) {
        guard let first = connection.firstPacket else { return nil }
        (self.connection, self.clock, packet) = (connection, clock, first.number)
        let begin = clock.time(first.sent)
        let arrivals = connection.answers.compactMap(\.delivered).map(clock.time)
        let finish = Self.finish(connection, life, record)
        (ending, endedBy) = (finish.ending, finish.side)
        let last: Duration? =
            switch finish.rest {
            case .ofKernel: nil
            case .answers: arrivals.last
            case .unknown: max(clock.time(connection.clientPackets.last?.sent) ?? begin, arrivals.last ?? begin)
            }
        let end = max(begin, last ?? begin, clock.time(finish.moment) ?? begin)
        let accepted = clock.time((life.map(\.accepted) ?? connection.accepted)?.delivered)
        (self.begin, self.end, self.accepted) = (begin, end, accepted)
        silences = accepted.map { Self.silences(from: $0, arrivals, to: end) } ?? []
    }

    /// What comes later than the moment of the end.
    private enum Rest {
        /// What the kernel sends and refuses for a socket that is gone.
        case ofKernel
        /// Answers, which a client that sends no more may read; what it sends again is its kernel's.
        case answers
        /// The connection may have lasted longer.
        case unknown
    }

    /// How it ended, by which side, and when.
    private static func finish(
        _ connection: Connection,
        _ life: ConnectionLife?,
        _ record: RunRecord
    ) -> (ending: End, side: Connection.Side?, moment: Instant?, rest: Rest) {
        guard let life else { return (.silent, nil, nil, .unknown) }
        if life.wasGivenUp { return (.givenUp, nil, life.end, .ofKernel) }
        if life.wasClosedBefore { return (.finished, .client, life.end, .ofKernel) }
        if let (moment, kind) = connection.departure {
            return (kind == .reset ? .reset : .finished, .client, moment, .ofKernel)
        }
        // Also where the server has sent FIN: the client has not closed it.
        if life.end == .distantFuture { return (.open, nil, record.end, .unknown) }
        let lifeEnd = min(life.end, record.end)
        if let first = connection.endings.first {
            // A reset of either side replaces what came before it.
            let reset = connection.endings.first { $0.kind == .reset }
            let ending = reset ?? first
            // The client knows its own end when it sends it, that of the server when it arrives.
            let moment = ending.side == .client ? ending.packet.sent : ending.packet.delivered ?? ending.packet.sent
            let hasOwnEnd = connection.endings.contains { $0.side == .client }
            let rest: Rest = hasOwnEnd ? .answers : .unknown
            return (reset == nil ? .finished : .reset, ending.side, max(moment, lifeEnd), rest)
        }
        return (connection.accepted == nil ? .givenUp : .silent, nil, lifeEnd, .unknown)
    }

    private static func silences(from accepted: Duration, _ arrivals: [Duration], to end: Duration) -> [Silence] {
        let times = [accepted] + arrivals.filter { $0 < end } + [max(accepted, end)]
        let silences = zip(times, times[1...]).map { Silence(begin: $0, end: $1) }
        return Array(silences.filter { $0.end - $0.begin >= shortestSilence }.prefix(timeLimit))
    }
}

extension ConnectionLine {
    /// When each attempt was sent, those of the kernel for one connection included.
    var attempts: [Duration] { connection.attempts.prefix(Self.timeLimit).map { clock.time($0.sent) } }
    /// When its TLS handshake was complete.
    var secured: Duration? { clock.time(connection.secured.flatMap { $0.delivered ?? $0.sent }) }
    /// When the first and the last answer arrived.
    var firstByte: Duration? { clock.time(connection.answers.lazy.compactMap(\.delivered).first) }
    var lastByte: Duration? { clock.time(connection.answers.last { $0.delivered != nil }?.delivered) }

    /// When a side sent something again.
    func retransmissions(of side: Connection.Side) -> [Duration] {
        let packets = connection.retransmissions.lazy.filter { $0.side == side }.map(\.packet)
        return packets.prefix(Self.timeLimit).map { clock.time($0.sent) }
    }

    /// The process that held it: "curl (1234)"; nil if that is not known.
    var owner: String? { connection.owners.isEmpty ? nil : connection.owners.joined(separator: ", ") }

    var peer: String { connection.serverName.map { "\($0) (\(connection.server))" } ?? "\(connection.server)" }
}

extension Connection {
    /// The time within which the kernel answers what comes for a socket that is gone.
    private static let reaction = Duration.milliseconds(10)

    /// When the client closed or reset a connection that ends with its RST, and which of both; nil without an RST.
    ///
    /// The kernel answers with RST what arrives for a socket that the client has closed with FIN before.
    fileprivate var departure: (moment: Instant, kind: Ending.Kind)? {
        let own = endings.filter { $0.side == .client }
        guard let reset = own.first(where: { $0.kind == .reset })?.packet.sent else { return nil }
        guard let finish = own.first(where: { $0.kind == .finish })?.packet.sent, finish <= reset else {
            return (reset, .reset)
        }
        let next = answers.lazy.compactMap(\.delivered).first { $0 > finish } ?? reset
        return next + Self.reaction >= reset ? (finish, .finish) : (reset, .reset)
    }
}
