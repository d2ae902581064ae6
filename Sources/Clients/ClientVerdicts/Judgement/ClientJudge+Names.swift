// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension ClientJudge {
    /// `asks DNS again within 10 s of 'label'`
    func askingAgain(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let label = "'\(span.label ?? "")'"
        let queries = traffic.nameQueries.filter { query in
            (peer?.isAsked(by: query) ?? true) && (!record.beginsLater || query.packet.sent >= record.begin)
        }
        let before = queries.filter { $0.packet.sent < span.start }
        guard let known = before.last else {
            let hint = hiddenQueries(in: JudgedPeriod(start: record.begin, end: span.start))
            let reason = hint ?? "names may come from a cache of this machine, or from /etc/hosts"
            return ClientFinding(.inconclusive, "no query was seen before \(label), so none can be repeated; \(reason)")
        }
        let names = Set(before.map { $0.name.lowercased() })
        let deadline = span.start + limit
        let again = queries.first { $0.packet.sent >= span.start && names.contains($0.name.lowercased()) }
        if let again {
            let time = again.packet.sent - span.start
            let words = "\(again.name) was asked for \(time.words) after \(label)"
            if time <= limit { return ClientFinding(.pass, words, [again.packet]) }
            return unseenQuery(span.start, deadline).map {
                ClientFinding(.inconclusive, "\(words); but \($0)", [again.packet])
            }
                ?? .late(words, from: span.start, to: again.packet.sent, limit: limit, [again.packet])
        }
        let rest = max(record.end - span.start, .zero)
        let words = "no query for a name of before came in the \(rest.words) after \(label)"
        guard rest >= limit else { return ClientFinding(.inconclusive, words, [known.packet]) }
        return unseenQuery(span.start, deadline).map {
            ClientFinding(.inconclusive, "\(words); but \($0)", [known.packet])
        }
            ?? .late(words, from: span.start, to: record.end, limit: limit, [known.packet])
    }

    /// The reason why a query between `begin` and `end` may not have been seen; nil if it would have been.
    private func unseenQuery(_ begin: Instant, _ end: Instant) -> String? {
        if traffic.link.unplaced.queries.contains(where: { $0 >= begin && $0 <= end }) {
            return "the link damaged a packet that may have been a query"
        }
        return hiddenQueries(in: JudgedPeriod(start: begin, end: end))
    }
}
