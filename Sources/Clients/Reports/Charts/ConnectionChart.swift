// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The connections of a run as bars.
struct ConnectionChart {
    let timeline: RunTimeline
    let time: TimeScale
    let evidence: Evidence
    /// The maximum number of strokes of each kind for a connection.
    private let maximum: Int
    /// The requests, by the number of the first packet of their connection.
    private let requests: [Int: [RequestLog.Request]]

    /// The number of strokes above which `maximum` is reduced, to 16 at the least.
    private static let strokeLimit = 20_000

    init(timeline: RunTimeline, time: TimeScale, evidence: Evidence) {
        (self.timeline, self.time, self.evidence) = (timeline, time, evidence)
        requests = Dictionary(grouping: timeline.requests.listedRequests, by: \.connection)
        let counts = timeline.connections.flatMap { $0.strokes.map(\.count) }
        let sizes = [ConnectionLine.timeLimit, 100, 50]
        maximum = sizes.first { size in counts.reduce(0) { $0 + min($1, size) } <= Self.strokeLimit } ?? 16
    }

    /// A note that only the first strokes of each kind are drawn; nil if all are.
    var omission: String? {
        let isComplete = timeline.connections.allSatisfy { line in
            let again = Connection.Side.both.reduce(0) { $0 + line.retransmissions(of: $1).count }
            return line.strokes.allSatisfy { $0.count <= maximum } && again == line.connection.retransmissions.count
                && line.attempts.count == line.connection.attempts.count
        }
        return isComplete ? nil : "Of a connection, the first \(maximum) strokes of a kind are drawn."
    }

    /// The group of a row for each connection.
    var group: TimelineGroup {
        let rows = timeline.connections.map { line in
            var parts = [Markup("p", ["class": "line"], text: "\(line.sentence).")]
            if line.peer != line.shortPeer { parts.insert(PageParts.name(line.peer, "p"), at: 0) }
            return FoldedRow(id: line.id, kind: "connection", line: name(line), plot: bar(line), details: parts).element
        }
        let count = timeline.connectionCount
        let choice = "those that findings name, then those without an answer, then the longest"
        let facts = [
            count > rows.count ? "\(rows.count) of \(count) connections are shown: \(choice)" : "\(count) in all",
            timeline.requests.blindSpot,
        ]
        return TimelineGroup("Connections", facts.compactMap { $0 }, "connections", rows)
    }

    /// The server, the process and the end, on a line.
    private func name(_ line: ConnectionLine) -> [Markup] {
        let owner = line.owner.map { [PageParts.name($0.shortened(to: 60), "bdi").of("owner")] } ?? []
        let end = Markup("span", ["class": "state"], text: line.endWord)
        return [PageParts.name(line.shortPeer).of("what")] + owner + [end]
            + Markup.flags(evidence.numbers(of: line.id))
    }

    private func bar(_ line: ConnectionLine) -> Markup {
        var plot = Plot(time, height: 22)
        let accepted = line.accepted.map { min($0, line.end) }
        let firstByte = line.firstByte.map { min($0, line.end) }
        plot.bar("connecting", line.begin, accepted ?? line.end, top: 8, height: 6, title: "asking for the connection")
        if let accepted {
            plot.bar("waiting", accepted, firstByte ?? line.end, top: 6, height: 10, title: "open, without an answer")
        }
        if let firstByte {
            plot.bar("answered", firstByte, line.end, top: 4, height: 14, title: "from the first answer")
        }
        for silence in line.silences.prefix(maximum) {
            let title = "nothing arrived for \((silence.end - silence.begin).words)"
            plot.bar("silence", silence.begin, min(silence.end, line.end), top: 9, height: 4, title: title)
        }
        for attempt in line.attempts.prefix(maximum) {
            plot.tick("attempt", attempt, top: 2, height: 18, title: "attempt at \(attempt.words)")
        }
        for (side, top) in [(Connection.Side.client, 0.0), (.server, 17)] {
            for moment in line.retransmissions(of: side).prefix(maximum) {
                let title = "sent again by the \(side.rawValue) at \(moment.words)"
                plot.tick("again", moment, top: top, height: 5, title: title)
            }
        }
        for request in requests[line.packet] ?? [] {
            plot.sign("end request", "•", request.begin, base: 16, title: request.sentence)
        }
        plot.endSign(line.endSign, line.end, base: 16, title: line.endWords)
        let sentence = line.sentence.shortened(to: 1000)
        return plot.element(label: sentence, title: sentence)
    }
}

extension ConnectionLine {
    /// The life of the connection, in one sentence.
    var sentence: String {
        var parts = ["\(connection.carrier.rawValue.uppercased()), begun at \(begin.words)"]
        if let owner { parts[0] += " by \(owner)" }
        if connection.attempts.count > 1 { parts.append(connection.attempts.count.of("attempt")) }
        if let accepted {
            parts.append("accepted after \((accepted - begin).words)")
            if let secured { parts.append("encrypted after \((secured - begin).words)") }
            parts.append(firstByte.map { "first answer after \(($0 - begin).words)" } ?? "no answer")
        } else {
            parts.append("never accepted")
        }
        let again = connection.retransmissionCounts
        for side in Connection.Side.both where again[side] > 0 {
            parts.append("\(again[side]) sent again by the \(side.rawValue)")
        }
        if let words = connection.roundTrips.words { parts.append("round trips \(words)") }
        if !connection.requests.isEmpty { parts.append(connection.requests.count.of("request")) }
        parts.append("\(Double(connection.bytes.client).prefixed)B sent, \(received)")
        parts.append(endWords)
        return parts.joined(separator: ", ")
    }

    private var received: String { "\(Double(connection.bytes.server).prefixed)B received" }

    /// The kind of the connection's end.
    fileprivate var endWord: String {
        switch ending.kind {
        case .finished: "closed"
        case .reset: "reset"
        case .givenUp: "given up"
        case .silent: connection.carrier == .tcp ? "ended silently" : "ended"
        case .open: "left open"
        }
    }

    /// The connection's end, in words.
    var endWords: String { ending.words(at: end.words) }

    /// The times that are drawn as strokes and gaps, by kind.
    fileprivate var strokes: [[Duration]] {
        [attempts, silences.map(\.begin)] + Connection.Side.both.map(retransmissions)
    }

    /// A sign for the connection's end, readable without colours.
    fileprivate var endSign: String {
        switch ending.kind {
        case .finished: ending.side == .client ? "◀" : "▶"
        case .reset: "✕"
        case .givenUp: "?"
        case .silent: "·"
        case .open: "→"
        }
    }
}
