// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// The requests of a run as bars, one below the other: a waterfall.
struct RequestChart {
    let timeline: RunTimeline
    let time: TimeScale
    let evidence: Evidence
    /// The connections that are shown, by the number of their first packet.
    private let lines: [Int: ConnectionLine]
    /// Whether the names show the hosts, since there are several.
    private let hasHosts: Bool

    init(timeline: RunTimeline, time: TimeScale, evidence: Evidence) {
        (self.timeline, self.time, self.evidence) = (timeline, time, evidence)
        lines = Dictionary(timeline.connections.map { ($0.packet, $0) }) { first, _ in first }
        hasHosts = Set(timeline.requests.listedRequests.map(\.request.host)).count > 1
    }

    /// The group of a row for each request.
    var group: TimelineGroup {
        let log = timeline.requests
        let rows = log.listedRequests.map(row)
        let omitted =
            rows.count < log.requests.count ? ["the first \(rows.count) of \(log.requests.count) are listed"] : []
        let facts = [log.sentence] + omitted
        return TimelineGroup("HTTP requests", facts, "requests", rows)
    }

    private func row(_ request: RequestLog.Request) -> Markup {
        let host = hasHosts ? request.request.host?.shortened(to: 100) ?? "" : ""
        var line = [
            Markup("b", text: request.request.method.shortened(to: 20)),
            Markup("bdi", ["class": "what"], text: host + request.request.target.shortened(to: 300)),
        ]
        if request.repeats != nil { line.append(Markup("span", ["class": "repeat"], text: "↻ sent again")) }
        line.append(Markup("span", ["class": "state"], text: request.status.map(String.init) ?? "no answer"))
        line += Markup.flags(evidence.numbers(of: request.id))
        var parts = [Markup("p", text: "\(request.sentence).")]
        if let host = request.request.host { parts.append(PageParts.name("Host: \(host)", "p")) }
        if let repeats = request.repeats {
            var words = Markup("p", text: "Sent again, since the request of packet ")
            words.append(Markup("a", ["href": "#request-\(repeats)"], text: "\(repeats)"))
            words.content.append(.text(" got no whole answer."))
            parts.append(words)
        }
        var origin = Markup("p", text: "Packet \(request.packet) of packets.pcapng, on the connection ")
        let peer = lines[request.connection]
        origin.append(
            peer.map { Markup("a", ["href": "#\($0.id)"], [PageParts.name("\($0.shortPeer) at \($0.begin.words)")]) }
                ?? Markup("span", text: "of packet \(request.connection)")
        )
        origin.content.append(.text("."))
        return FoldedRow(id: request.id, kind: "request", line: line, plot: bar(request), details: parts + [origin])
            .element
    }

    private func bar(_ request: RequestLog.Request) -> Markup {
        var plot = Plot(time, height: 20)
        let limit = max(request.reset ?? lines[request.connection]?.end ?? time.end, request.begin)
        let end = request.end ?? limit
        let firstByte = request.firstByte.map { min($0, end) }
        let kind = firstByte == nil ? "waiting unanswered" : "waiting"
        plot.bar(kind, request.begin, firstByte ?? end, top: 6, height: 8, title: "without an answer")
        if let firstByte {
            let kind = request.end == nil ? "answered partly" : "answered"
            plot.bar(kind, firstByte, end, top: 4, height: 12, title: "from the first byte of the answer")
        }
        let length = (end - request.begin).words
        let words =
            request.end != nil
            ? length
            : request.reset != nil
                ? "✕ cancelled after \(length)"
                : firstByte != nil ? "✕ not complete" : request.isLate ? "✕ answered too late" : "✕ no answer"
        plot.note("end", words, beside: request.begin, end, base: 14)
        return plot.element(label: request.sentence.shortened(to: 1000), title: request.sentence.shortened(to: 1000))
    }
}

extension RequestChart {
    /// The group of a row for each DNS query.
    var queries: TimelineGroup {
        let log = timeline.requests
        let rows = log.listedQueries.map { query -> Markup in
            var plot = Plot(time, height: 20)
            let end = query.answer ?? time.end
            plot.bar(query.answer == nil ? "waiting unanswered" : "answered", query.begin, end, top: 6, height: 8)
            let words = query.answer.map { ($0 - query.begin).words } ?? "✕ no answer"
            plot.note("end", words, beside: query.begin, end, base: 14)
            let sentence =
                "\(query.type) \(query.query.name.shortened(to: 300)) at \(query.begin.words): \(query.words)"
            let line = [
                Markup("b", text: query.type), PageParts.name(query.query.name.shortened(to: 300)).of("what"),
                Markup("span", ["class": "state"], text: query.words),
            ]
            let details = [Markup("p", text: "\(sentence). Packet \(query.query.packet.number) of packets.pcapng.")]
            let id = "query-\(query.query.packet.number)"
            return FoldedRow(id: id, kind: "query", line: line, plot: plot.element(label: sentence), details: details)
                .element
        }
        let omitted =
            rows.count < log.queries.count ? ["the first \(rows.count) of \(log.queries.count) are listed"] : []
        return TimelineGroup("DNS queries", [log.querySentence] + omitted, "queries", rows, limit: 8)
    }
}

extension Markup {
    /// Numbers of findings in circles.
    static func flags(_ numbers: [Int]) -> [Markup] {
        numbers.prefix(5).map { Markup("span", ["class": "number", "title": "Finding \($0)"], text: "\($0)") }
    }
}
