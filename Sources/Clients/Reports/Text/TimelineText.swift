// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// A timeline of a run, drawn with characters.
struct TimelineText {
    private static let width = 60
    private static let connectionLimit = 20

    /// The lines, the conditions first.
    let lines: [String]

    /// Draws a timeline; nil for a timeline without length.
    init?(_ timeline: RunTimeline) {
        let time = timeline.scale
        guard time.end > time.begin else { return nil }
        let column = { (moment: Duration) in min(Int(time.percent(moment) / 100 * Double(Self.width)), Self.width - 1) }
        var lines: [String] = []
        var ruler = [Character](repeating: "·", count: Self.width)
        for period in timeline.periods.dropFirst() { ruler[column(period.begin)] = "|" }
        for mark in timeline.marks { ruler[column(mark.time)] = "^" }
        lines.append(String(ruler) + "  | conditions change, ^ mark")
        if !timeline.history.pieces.isEmpty {
            lines.append(Self.curve(timeline, \.uplink, column) + "  to the server")
            lines.append(Self.curve(timeline, \.downlink, column) + "  to the client")
        }
        for line in timeline.connections.prefix(Self.connectionLimit) {
            var bar = [Character](repeating: " ", count: Self.width)
            for index in column(line.begin)...max(column(line.end), column(line.begin)) {
                let moment = time.begin + (time.end - time.begin) * Double(index + 1) / Double(Self.width)
                let isAnswered = line.firstByte.map { $0 <= moment } ?? false
                let isAccepted = line.accepted.map { $0 <= moment } ?? false
                bar[index] = isAnswered ? "█" : isAccepted ? "▒" : "░"
            }
            lines.append(String(bar) + "  \(line.peer.shortened(to: 60)), \(line.endWords)")
        }
        if timeline.connectionCount > Self.connectionLimit {
            lines.append("\(timeline.connectionCount - Self.connectionLimit) more connections")
        }
        lines.append("░ asked for, ▒ open, █ answered; \(time.begin.words) to \(time.end.words)")
        self.lines = lines
    }

    private static func curve(
        _ timeline: RunTimeline,
        _ way: KeyPath<LinkHistory.Piece, LinkHistory.Carried>,
        _ column: (Duration) -> Int
    ) -> String {
        var sums = [Int](repeating: 0, count: width)
        for (index, piece) in timeline.history.pieces.enumerated() {
            sums[column(timeline.time(ofPiece: index))] += piece[keyPath: way].bytes
        }
        let maximum = max(sums.max() ?? 0, 1)
        let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(sums.map { $0 == 0 ? " " : blocks[min($0 * 8 / maximum, 7)] })
    }
}
