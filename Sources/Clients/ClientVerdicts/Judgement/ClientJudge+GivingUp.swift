// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Judges whether the client closes connections in time.
extension ClientJudge {
    private func lives(to peer: Peer?) -> [ConnectionLife] {
        connections(to: peer).compactMap { lives.life(of: $0) }
    }

    /// Whether a connection was opened or used in the part: an older connection that is idle in it waits for nothing.
    private func isUsed(_ connection: Connection) -> Bool {
        isOwn(connection)
            || connection.clientPackets.contains { packet in
                packet.sent >= record.begin && !connection.endings.contains { $0.packet == packet }
            }
    }

    /// `times out within 10 s of 'label'`
    func givingUp(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let waiting = lives(to: peer).filter { life in
            (life.isOpen(at: span.start) || span.contains(life.begin)) && isUsed(life.connection)
        }
        guard !waiting.isEmpty else {
            let moment = span.phrase("at")
            return ClientFinding(.inconclusive, "no connection was open\(moment), and none was attempted during it")
        }
        guard waiting.contains(where: { $0.isSurelyOpen(at: span.start) || span.contains($0.begin) }) else {
            return notSurelyOpen(span)
        }
        var findings: [ClientFinding] = []
        for life in waiting {
            // Packets that were on the link when the label started still arrive: the wait starts after the last answer.
            let start = life.lastAnswer(from: max(life.begin, span.start), within: limit)
            guard start < span.end else { continue }
            let queued = span.queuedWords([life.connection], limit: limit)
            if life.end > span.end, span.end < start + limit {
                let length = span.end - start
                findings.append(
                    ClientFinding(
                        .inconclusive,
                        "\(life.name) had waited \(length.words) only when '\(span.label ?? "")' ended\(queued)"
                    )
                )
                continue
            }
            let event =
                switch start {
                case span.start: span.phrase("after")
                case life.begin: " after its start"
                default: " after its last answer"
                }
            var finding = verdict(on: life, from: start, event, limit)
            finding.words += queued
            findings.append(finding)
        }
        guard !findings.isEmpty else {
            return ClientFinding(.inconclusive, "each of \(counted(waiting.count, "connection")) got an answer in time")
        }
        return sum(findings, "waiting connection was closed or given up")
    }

    /// `closes within 1 s of 'label'`
    func closing(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let open = lives(to: peer).filter { $0.isOpen(at: span.start) && isOwn($0.connection) }
        guard !open.isEmpty else {
            return ClientFinding(.inconclusive, "no connection was open\(span.phrase("at"))")
        }
        guard open.contains(where: { $0.isSurelyOpen(at: span.start) }) else { return notSurelyOpen(span) }
        let event = span.phrase("after")
        return sum(open.map { verdict(on: $0, from: span.start, event, limit) }, "open connection was closed")
    }

    private func notSurelyOpen(_ span: JudgedPeriod) -> ClientFinding {
        ClientFinding(
            .inconclusive,
            "no look at the sockets tells whether a connection was still open\(span.phrase("at"))"
        )
    }

    /// The verdict on the end of a connection within a time that starts with `event`, such as " after its start".
    private func verdict(on life: ConnectionLife, from start: Instant, _ event: String, _ limit: Duration)
        -> ClientFinding
    {
        let deadline = start + limit
        let packets = [life.connection.attempts.first, life.ending].compactMap { $0 }
        guard life.end < .distantFuture else {
            let words = "\(life.name) \(record.goesOn ? "is still open" : "was still open when the command had ended")"
            guard record.end > deadline else { return ClientFinding(.inconclusive, words, packets) }
            return .late(words, from: start, to: record.end, limit: limit, packets)
        }
        let time = life.end - start
        let words = "\(life.name) was \(life.ended) \(time.words)\(event)"
        if life.end <= deadline { return ClientFinding(.pass, words, packets) }
        if life.lastHeld <= deadline {
            let earliest = (max(life.lastHeld, start) - start).words
            return ClientFinding(
                .inconclusive,
                "\(life.name) was \(life.ended) between \(earliest) and \(time.words)\(event)",
                packets
            )
        }
        return .late(words, from: start, to: life.lastHeld, limit: limit, packets)
    }

    /// The finding on all connections: the worst failure, else the first inconclusive one, else a pass with their
    /// number.
    private func sum(_ findings: [ClientFinding], _ words: String) -> ClientFinding {
        let failures = findings.filter { $0.verdict == .fail }
        // The failure with the greatest excess is the least uncertain.
        if var first = failures.max(by: { $0.exceededLimit?.excess ?? .zero < $1.exceededLimit?.excess ?? .zero }) {
            if failures.count > 1 { first.words += ", and \(failures.count - 1) more were late" }
            return first
        }
        if let doubt = findings.first(where: { $0.verdict == .inconclusive }) { return doubt }
        var pass = findings[0]
        if findings.count > 1 { pass.words = "each \(words) in time, \(findings.count) in all" }
        return pass
    }
}
