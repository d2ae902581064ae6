// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The requests of a run, as tables.
struct RequestsSection {
    let log: RequestLog

    /// A longer table is folded.
    private static let longest = 30

    /// The section; nil if there is nothing to say.
    var element: Markup? {
        guard !log.isEmpty else { return nil }
        var parts = [Markup("p", text: "\(log.sentence), \(log.querySentence).")]
        if let words = log.blindSpot { parts.append(Markup("p", text: "\(words).")) }
        if !log.requests.isEmpty {
            let head = ["Sent", "Request", "Status", "First byte", "Complete", "Connection", "Sent again"]
            parts += Self.table("HTTP/1 requests", head, log.requests.map(Self.row), of: log.requestCount)
        }
        if !log.queries.isEmpty {
            let head = ["Sent", "Query", "Answer", "After"]
            parts += Self.table("DNS queries", head, log.queries.map(Self.row), of: log.queryCount)
        }
        return RunPage.section("Requests", parts)
    }

    private static func row(_ request: RequestLog.Request) -> Markup {
        var name = [Markup("code", text: "\(request.method) \(request.target.shortened(to: 300))")]
        if let host = request.host { name.append(PageParts.name(" \(host)", "span")) }
        return row([
            Markup("td", ["class": "figure"], text: request.begin.words),
            Markup("td", [:], name),
            Markup("td", text: request.status.map(String.init) ?? "no answer"),
            figure(request.firstByte, since: request.begin),
            figure(request.end, since: request.begin),
            Markup("td", text: "of packet \(request.connection)"),
            Markup("td", text: request.repeats.map { "of packet \($0)" } ?? ""),
        ])
    }

    private static func row(_ query: RequestLog.Query) -> Markup {
        row([
            Markup("td", ["class": "figure"], text: query.begin.words),
            Markup("td", [:], [Markup("code", text: "\(query.type) \(query.name.shortened(to: 300))")]),
            Markup("td", text: query.words),
            figure(query.answer, since: query.begin),
        ])
    }

    private static func row(_ cells: [Markup]) -> Markup { Markup("tr", [:], cells) }

    private static func figure(_ moment: Duration?, since begin: Duration) -> Markup {
        Markup("td", ["class": "figure"], text: moment.map { ($0 - begin).words } ?? "–")
    }

    private static func table(_ name: String, _ head: [String], _ rows: [Markup], of count: Int) -> [Markup] {
        let heads = row(head.map { Markup("th", ["scope": "col"], text: $0) })
        let table = PageParts.table(name, [heads] + rows)
        let note =
            rows.count < count ? [Markup("p", text: "The first \(rows.count) of \(count) \(name) are listed.")] : []
        guard rows.count > longest else { return note + [table] }
        return note + [Markup("details", [:], [Markup("summary", text: name), table])]
    }
}
