// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
internal import LinkProfiles

extension RunTimeline {
    /// The maximum number of connections that are shown.
    static let connectionLimit = 300

    /// Makes the timeline of a run.
    ///
    /// - Parameters:
    ///   - initial: the conditions at the start.
    ///   - asked: the figures of each profile, by its name.
    ///   - evidence: the numbers of packets in findings, whose connections are shown before others.
    package init(
        _ traffic: ObservedTraffic,
        _ record: RunRecord,
        initial: String?,
        asked: [String: AskedFigures],
        evidence: Set<Int> = []
    ) {
        let clock = ReportClock(record)
        self.init(duration: record.end - record.begin)
        periods = Self.periods(record, initial, asked)
        marks = record.labels.filter { $0.kind == .mark }.map { Mark(name: $0.name, time: clock.time($0.begin)) }
        stalls = record.stalls.map { stall in
            Stall(begin: clock.time(stall.begin), end: clock.time(stall.end), waited: stall.waited)
        }
        bands = Self.bands(record, clock)
        history = traffic.link.history
        historyBegin = history.pieces.isEmpty ? .zero : clock.time(history.begin)
        let lives = ConnectionLives(record, traffic.connections)
        let lines = traffic.connections.compactMap { ConnectionLine($0, lives, clock) }
        connectionCount = lines.count
        openConnections = openCounts(lines)
        laterOpenings = openings(lines)
        connections = Self.selection(lines, evidence)
        requests = RequestLog(traffic, lives, clock)
    }

    private static func periods(_ record: RunRecord, _ initial: String?, _ asked: [String: AskedFigures]) -> [Period] {
        let clock = ReportClock(record)
        var begins: [(time: Instant, label: String?, profile: String?, changes: [String])] = []
        begins.append((record.begin, nil, initial, []))
        for label in record.labels where label.kind == .step {
            begins.append((label.begin, label.name, label.profile, label.changes))
        }
        for change in record.changes { begins.append((change.time, nil, change.profile, [])) }
        begins.sort { $0.time < $1.time }
        return begins.indices.map { index in
            let (time, label, profile, changes) = begins[index]
            let end = index + 1 < begins.count ? begins[index + 1].time : max(record.end, time)
            return Period(
                label: label,
                profile: profile,
                changes: changes,
                asked: profile.flatMap { asked[$0] } ?? AskedFigures(),
                begin: clock.time(time),
                end: clock.time(end)
            )
        }
    }

    /// Each verdict of a monitor holds until the next one on the same target.
    private static func bands(_ record: RunRecord, _ clock: ReportClock) -> [Band] {
        var next: [String: Instant] = [:]
        let bands = record.monitorVerdicts.reversed().map { verdict in
            defer { next[verdict.target] = verdict.time }
            let end = next[verdict.target] ?? max(record.end, verdict.time)
            return Band(verdict: verdict, begin: clock.time(verdict.time), end: clock.time(end))
        }
        return bands.reversed()
    }

    /// The maximum number of open connections in each piece: starts are counted before ends.
    private func openCounts(_ lines: [ConnectionLine]) -> [Int] {
        let count = history.pieces.count
        guard count > 0 else { return [] }
        var opened = [Int](repeating: 0, count: count)
        var closed = opened
        let index = { (time: Duration) in min(max(Int((time - historyBegin) / step), 0), count - 1) }
        for line in lines where line.connection.carrier != .udp {
            opened[index(line.begin)] += 1
            closed[index(line.end)] += line.ending.kind == .open ? 0 : 1
        }
        var open = 0
        return (0..<count).map { index in
            open += opened[index]
            defer { open -= closed[index] }
            return open
        }
    }

    /// The periods after the last packet, which connections that end without one divide; at most the first `listLimit`.
    private func openings(_ lines: [ConnectionLine]) -> [Opening] {
        let last = time(ofPiece: history.pieces.count)
        guard !history.pieces.isEmpty, last < duration else { return [] }
        var ends: [Duration] = []
        var open = 0
        for line in lines where line.connection.carrier != .udp {
            if line.ending.kind == .open { open += 1 } else if line.end > last { ends.append(line.end) }
        }
        var openings: [Opening] = []
        var begin = last
        for (index, end) in ends.sorted().prefix(Self.listLimit).enumerated() where end > begin {
            openings.append(Opening(begin: begin, end: min(end, duration), open: open + ends.count - index))
            begin = end
        }
        if begin < duration, open > 0 { openings.append(Opening(begin: begin, end: duration, open: open)) }
        return openings
    }

    /// Selects the connections that findings name, then those without an answer, then the longest.
    private static func selection(_ lines: [ConnectionLine], _ evidence: Set<Int>) -> [ConnectionLine] {
        guard lines.count > connectionLimit else { return lines }
        // Sorts small keys, and not the lines, which are expensive to compare.
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
struct ReportClock: Hashable, Sendable {
    private let begin: Instant

    init(_ record: RunRecord) { begin = record.begin }

    func time(_ instant: Instant) -> Duration { instant - begin }

    /// The time since the start; nil for nil.
    func time(_ instant: Instant?) -> Duration? { instant.map(time) }
}
