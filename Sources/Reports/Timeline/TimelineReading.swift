// SPDX-License-Identifier: Apache-2.0

package import ClientObservation
internal import LinkProfiles

extension RunTimeline {
    /// More connections than this are not shown one by one.
    package static let connectionLimit = 300

    /// Makes the timeline of a run.
    ///
    /// - Parameters:
    ///   - initial: the conditions at the start.
    ///   - asked: what a profile asks for, by its name.
    ///   - evidence: packets that findings name: their connections are shown before others.
    package init(
        _ traffic: Traffic,
        _ record: RunRecord,
        initial: String?,
        asked: [String: AskedFigures],
        evidence: Set<Int> = []
    ) {
        let clock = RunClock(record)
        self.init(duration: record.end - record.begin)
        periods = Self.periods(record, initial, asked, clock)
        marks = record.labels.filter { $0.kind == .mark }.map { Mark(name: $0.name, time: clock.time($0.begin)) }
        stalls = record.stalls.map { stall in
            Stall(begin: clock.time(stall.begin), end: clock.time(stall.end), waited: stall.waited)
        }
        bands = Self.bands(record, clock)
        history = traffic.link.history
        historyBegin = history.pieces.isEmpty ? .zero : clock.time(history.begin)
        let lives = ConnectionLives(record)
        let lines = traffic.connections.compactMap { ConnectionLine($0, lives.life(of: $0), record, clock) }
        connectionCount = lines.count
        openConnections = Self.openCounts(lines, count: history.pieces.count, from: historyBegin, step: step)
        connections = Self.selection(lines, evidence)
        requests = RequestLog(traffic, clock, limit: Self.listLimit)
    }

    private static func periods(
        _ record: RunRecord,
        _ initial: String?,
        _ asked: [String: AskedFigures],
        _ clock: RunClock
    ) -> [Period] {
        var begins: [(time: Instant, label: String?, profile: String?)] = [(record.begin, nil, initial)]
        for label in record.labels where label.kind == .step { begins.append((label.begin, label.name, label.profile)) }
        for change in record.changes { begins.append((change.time, nil, change.profile)) }
        begins.sort { $0.time < $1.time }
        return begins.indices.map { index in
            let (time, label, profile) = begins[index]
            let end = index + 1 < begins.count ? begins[index + 1].time : max(record.end, time)
            return Period(
                label: label,
                profile: profile,
                asked: profile.flatMap { asked[$0] } ?? AskedFigures(),
                begin: clock.time(time),
                end: clock.time(end)
            )
        }
    }

    /// Each verdict of a monitor holds until its next of the same target.
    private static func bands(_ record: RunRecord, _ clock: RunClock) -> [Band] {
        var next: [String: Instant] = [:]
        let bands = record.monitorVerdicts.reversed().map { verdict in
            defer { next[verdict.target] = verdict.time }
            return Band(
                target: verdict.target,
                status: verdict.status,
                isReachable: verdict.isReachable,
                reason: verdict.reason,
                begin: clock.time(verdict.time),
                end: clock.time(next[verdict.target] ?? max(record.end, verdict.time))
            )
        }
        return bands.reversed()
    }

    /// The most connections open in each piece: starts are counted before ends.
    private static func openCounts(
        _ lines: [ConnectionLine],
        count: Int,
        from begin: Duration,
        step: Duration
    ) -> [Int] {
        guard count > 0 else { return [] }
        var opened = [Int](repeating: 0, count: count)
        var closed = opened
        let index = { (time: Duration) in min(max(Int((time - begin) / step), 0), count - 1) }
        for line in lines where line.carrier != Connection.Carrier.udp.rawValue {
            opened[index(line.begin)] += 1
            closed[index(line.end)] += line.ending == .open ? 0 : 1
        }
        var open = 0
        return (0..<count).map { index in
            open += opened[index]
            defer { open -= closed[index] }
            return open
        }
    }

    /// Those that findings name, then those that got no answer, then the longest.
    private static func selection(_ lines: [ConnectionLine], _ evidence: Set<Int>) -> [ConnectionLine] {
        guard lines.count > connectionLimit else { return lines }
        // Apart from the lines, which are expensive to compare.
        let keys = lines.indices.map { index -> (rank: Int, length: Duration, index: Int) in
            let line = lines[index]
            let rank = evidence.contains(line.packet) ? 0 : line.firstByte == nil ? 1 : 2
            return (rank, .zero - (line.end - line.begin), index)
        }
        let ranked = keys.sorted(by: <).map(\.index)
        return ranked.prefix(connectionLimit).sorted().map { lines[$0] }
    }
}

/// The time since the start of a command.
struct RunClock {
    private let begin: Instant

    init(_ record: RunRecord) { begin = record.begin }

    func time(_ instant: Instant) -> Duration { instant - begin }
}

extension ConnectionLine {
    /// A silence shorter than this is not shown.
    private static let shortestSilence = Duration.seconds(1)

    /// Draws a connection; nil for one without a packet of the client.
    init?(_ connection: Connection, _ life: ConnectionLife?, _ record: RunRecord, _ clock: RunClock) {
        guard let first = connection.firstPacket else { return nil }
        let delivered = connection.answers.lazy.compactMap(\.delivered).map(clock.time)
        let begin = clock.time(first.sent)
        let last = [connection.clientPackets.last.map { clock.time($0.sent) }, delivered.last].compactMap { $0 }.max()
        self.init(
            carrier: connection.carrier.rawValue,
            client: "\(connection.client)",
            server: "\(connection.server)",
            serverName: connection.serverName,
            packet: first.number,
            begin: begin,
            end: max(last ?? begin, begin),
            ending: .silent
        )
        attempts = connection.attempts.prefix(Self.timeLimit).map { clock.time($0.sent) }
        attemptCount = connection.attempts.count
        accepted = (life.map(\.accepted) ?? connection.accepted)?.delivered.map(clock.time)
        secured = connection.secured.flatMap { $0.delivered ?? $0.sent }.map(clock.time)
        (firstByte, lastByte) = (delivered.first, delivered.last)
        (requests, bytes) = (connection.requests.count, connection.bytes)
        roundTrips = connection.roundTrips
        owner = connection.owners.isEmpty ? nil : connection.owners.joined(separator: ", ")
        for side in [Connection.Side.client, .server] {
            let times = connection.retransmissions.lazy.filter { $0.side == side }.map { clock.time($0.packet.sent) }
            sentAgain[side] = times.count
            let some = Array(times.prefix(Self.timeLimit))
            if side == .client { clientRetransmissions = some } else { serverRetransmissions = some }
        }
        if let life { readEnd(connection, life, record, clock) }
        silences = Self.silences(from: accepted, Array(delivered), to: end)
    }

    private mutating func readEnd(
        _ connection: Connection,
        _ life: ConnectionLife,
        _ record: RunRecord,
        _ clock: RunClock
    ) {
        guard !life.wasGivenUp, !life.wasClosedBefore else {
            // Packets that come later are the kernel's.
            end = max(begin, clock.time(life.end))
            (ending, endedBy) = life.wasGivenUp ? (.givenUp, nil) : (.finished, .client)
            return
        }
        if let (moment, kind) = connection.departure {
            end = max(begin, clock.time(moment))
            (ending, endedBy) = (kind == .reset ? .reset : .finished, .client)
            return
        }
        if let first = connection.endings.first {
            // A reset of either side takes the index of what came before it.
            let reset = connection.endings.first { $0.kind == .reset }
            let last = reset ?? first
            (ending, endedBy) = (reset == nil ? .finished : .reset, last.side)
            end = max(end, clock.time(last.packet.delivered ?? last.packet.sent))
        } else if life.end == .distantFuture {
            ending = .open
            end = max(end, clock.time(record.end))
            return
        } else if connection.accepted == nil {
            ending = .givenUp
        }
        guard life.end < .distantFuture else { return }
        end = max(end, min(clock.time(life.end), clock.time(record.end)))
    }

    private static func silences(from accepted: Duration?, _ answers: [Duration], to end: Duration) -> [Silence] {
        guard let accepted else { return [] }
        let times = [accepted] + answers.filter { $0 < end } + [max(accepted, end)]
        let silences = zip(times, times[1...]).map { Silence(begin: $0, end: $1) }
        return Array(silences.filter { $0.end - $0.begin >= shortestSilence }.prefix(timeLimit))
    }
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
