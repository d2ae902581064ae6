// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// The requests of a run, as tables.
struct RequestsSection {
    let log: RequestLog

    /// The number of rows above which a table is folded.
    private static let longest = 30

    /// The section; nil if the log is empty.
    var element: Markup? {
        guard !log.isEmpty else { return nil }
        var parts = [Markup("p", text: "\(log.sentence), \(log.querySentence).")]
        if let words = log.blindSpot { parts.append(Markup("p", text: "\(words).")) }
        if !log.requests.isEmpty {
            let head = ["Sent", "Request", "Status", "First byte", "Complete", "Connection", "Sent again"]
            parts += Self.table("HTTP requests", head, log.listedRequests.map(Self.row), of: log.requests.count)
        }
        if !log.queries.isEmpty {
            let head = ["Sent", "Query", "Answer", "After"]
            parts += Self.table("DNS queries", head, log.listedQueries.map(Self.row), of: log.queries.count)
        }
        return PageParts.section("Requests", parts)
    }

    private static func row(_ line: RequestLog.Request) -> Markup {
        var name = [Markup("code", text: "\(line.request.method) \(line.request.target.shortened(to: 300))")]
        if let host = line.request.host { name.append(PageParts.name(" \(host)", "span")) }
        return Markup(
            "tr",
            [
                PageParts.figure(line.begin.words),
                Markup("td", name),
                Markup("td", text: line.status.map(String.init) ?? "no answer"),
                PageParts.figure(line.firstByte.map { ($0 - line.begin).words }),
                PageParts.figure(line.end.map { ($0 - line.begin).words }),
                Markup("td", text: "of packet \(line.connection)"),
                Markup("td", text: line.repeats.map { "of packet \($0)" } ?? ""),
            ]
        )
    }

    private static func row(_ line: RequestLog.Query) -> Markup {
        let name = Markup("code", text: "\(line.type) \(line.query.name.shortened(to: 300))")
        let delay = line.answer.map { ($0 - line.begin).words }
        let cells = [Markup("td", [name]), Markup("td", text: line.words), PageParts.figure(delay)]
        return Markup("tr", [PageParts.figure(line.begin.words)] + cells)
    }

    private static func table(_ name: String, _ heads: [String], _ rows: [Markup], of count: Int) -> [Markup] {
        let table = PageParts.table(name, [PageParts.heads(heads)] + rows)
        let note =
            rows.count < count ? [Markup("p", text: "The first \(rows.count) of \(count) \(name) are listed.")] : []
        guard rows.count > longest else { return note + [table] }
        return note + [Markup("details", [Markup("summary", text: name), table])]
    }
}
