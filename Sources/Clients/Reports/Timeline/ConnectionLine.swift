// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts

/// One connection of a timeline. All times count from the start of the command.
struct ConnectionLine: Hashable, Sendable {
    /// A period in which nothing arrived from the server.
    struct Silence: Hashable, Sendable {
        var begin: Duration
        var end: Duration
    }

    /// The maximum number of times of each kind that are kept for one connection.
    static let timeLimit = 200
    /// The shortest silence that is shown.
    private static let shortestSilence = Duration.seconds(1)

    let connection: Connection
    private let clock: ReportClock
    /// The number of the connection's first packet in the capture.
    let packet: Int
    let begin: Duration
    /// The time at which the connection was accepted; nil if it was not, or if the client had given up before.
    let accepted: Duration?
    let end: Duration
    /// The kind of the connection's end, and the side that ended it.
    let ending: ConnectionEnd

    /// Periods of a second or more in which nothing arrived.
    let silences: [Silence]

    /// Makes the line of a connection; nil for a connection without a packet of the client.
    init?(_ connection: Connection, _ lives: ConnectionLives, _ clock: ReportClock) {
        guard let first = connection.firstPacket else { return nil }
        (self.connection, self.clock, packet) = (connection, clock, first.number)
        let begin = clock.time(first.sent)
        let arrivals = connection.answers.compactMap(\.delivered).map(clock.time)
        let life = lives.life(of: connection)
        ending = lives.end(of: connection, life)
        let last: Duration? =
            switch ending.rest {
            case .ofKernel: nil
            case .answers: arrivals.last
            case .unknown: max(clock.time(connection.clientPackets.last?.sent) ?? begin, arrivals.last ?? begin)
            }
        let end = max(begin, last ?? begin, clock.time(ending.moment) ?? begin)
        let accepted = clock.time((life.map(\.accepted) ?? connection.accepted)?.delivered)
        (self.begin, self.end, self.accepted) = (begin, end, accepted)
        silences = accepted.map { Self.silences(from: $0, arrivals, to: end) } ?? []
    }

    private static func silences(from accepted: Duration, _ arrivals: [Duration], to end: Duration) -> [Silence] {
        let times = [accepted] + arrivals.filter { $0 < end } + [max(accepted, end)]
        let silences = zip(times, times[1...]).map { Silence(begin: $0, end: $1) }
        return Array(silences.filter { $0.end - $0.begin >= shortestSilence }.prefix(timeLimit))
    }
}

extension ConnectionLine {
    /// The sending times of the attempts, including retransmitted SYNs.
    var attempts: [Duration] { connection.attempts.prefix(Self.timeLimit).map { clock.time($0.sent) } }
    /// The time at which the connection's TLS handshake was complete.
    var secured: Duration? { clock.time(connection.secured.flatMap { $0.delivered ?? $0.sent }) }
    /// The times at which the first and the last answer arrived.
    var firstByte: Duration? { clock.time(connection.answers.lazy.compactMap(\.delivered).first) }
    var lastByte: Duration? { clock.time(connection.answers.last { $0.delivered != nil }?.delivered) }

    /// The time since the start of the command.
    func time(_ moment: Instant) -> Duration { clock.time(moment) }

    /// The sending times of a side's retransmissions.
    func retransmissions(of side: Connection.Side) -> [Duration] {
        let packets = connection.retransmissions.lazy.filter { $0.side == side }.map(\.packet)
        return packets.prefix(Self.timeLimit).map { clock.time($0.sent) }
    }

    /// The processes that held the socket: "curl (1234)"; nil if none is known.
    var owner: String? { connection.owners.isEmpty ? nil : connection.owners.joined(separator: ", ") }

    var peer: String { connection.peerName }

    /// The server's name and port; its address without a name.
    var shortPeer: String { connection.serverName.map { "\($0):\(connection.server.port)" } ?? "\(connection.server)" }
}
