// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Judges the end of the command, and the times of answers.
extension ClientJudge {
    func completion(within limit: Duration) -> ClientFinding {
        let time = record.countedEnd - record.begin
        // If something else ended the command within the limit, it is unknown how long it would have taken.
        func ending(_ words: String, _ early: Verdict, _ cause: String = "") -> ClientFinding {
            guard time > limit else { return ClientFinding(early, words + cause) }
            return .late(words, from: record.begin, to: record.countedEnd, limit: limit)
        }
        if record.goesOn { return ending("the command has not ended after \(time.words)", .inconclusive) }
        switch record.outcome {
        case .notStarted: return ClientFinding(.inconclusive, "the command could not be executed")
        case .timedOut: return ending("the command was ended after \(time.words)", .inconclusive, " by --timeout")
        case .failedFast: return ending("the command was ended after \(time.words)", .inconclusive, " by --fail-fast")
        case .killed(let signal): return ClientFinding(.fail, "signal \(signal) ended the command after \(time.words)")
        case .exited: return ending("the command ended after \(time.words)", .pass)
        }
    }

    func exit(with status: Int32) -> ClientFinding {
        guard !record.isPart else { return ClientFinding(.skipped, "the command has not ended") }
        return switch record.outcome {
        case .exited(let code): ClientFinding(code == status ? .pass : .fail, "the command exited with \(code)")
        case .killed(let signal): ClientFinding(.fail, "signal \(signal) ended the command")
        case .timedOut: ClientFinding(.fail, "the command was ended by --timeout")
        case .failedFast: ClientFinding(.inconclusive, "the command was ended by --fail-fast")
        case .notStarted: ClientFinding(.inconclusive, "the command could not be executed")
        }
    }

    func firstByte(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let candidates = connections(to: peer)
        // In a whole run, attempts may precede the event of the run's start.
        let isWhole = span.label == nil && !record.beginsLater
        let attempts = candidates.compactMap(\.attempts.first).filter { isWhole || span.contains($0.sent) }
        let begin: Instant
        if span.label != nil {
            begin = span.start
        } else if let first = attempts.min(by: { $0.sent < $1.sent }) {
            begin = first.sent
        } else {
            let words = "no connection\(peer.map { " to \($0)" } ?? "") was opened"
            // A DNS answer may have been all that the client wanted.
            guard peer == nil, let answer = traffic.nameQueries.lazy.compactMap(\.answer).first else {
                return ClientFinding(.fail, words)
            }
            return ClientFinding(.inconclusive, "\(words); answers of DNS are not counted", [answer])
        }
        return answer(after: begin, within: limit, candidates, "the first byte of an answer", "the first attempt", span)
    }

    func recovery(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let connections = connections(to: peer)
        var finding = answer(after: span.start, within: limit, connections, "the first byte of an answer", "", span)
        let begun = connections.count { connection in
            guard connection.carrier != .udp, let begin = connection.attempts.first?.sent else { return false }
            return begin >= span.start && begin < span.start + Self.herdTime
        }
        finding.words += span.queuedWords(connections, limit: limit)
        // Many clients that reconnect at once when a network recovers can overload it again.
        if begun > 0 { finding.words += "; \(counted(begun, "connection attempt")) in the first second" }
        return finding
    }

    /// The time after a label in which `recovery` counts connection attempts.
    static let herdTime = Duration.seconds(1)

    private func answer(
        after begin: Instant,
        within limit: Duration,
        _ candidates: [Connection],
        _ what: String,
        _ start: String,
        _ span: JudgedPeriod
    ) -> ClientFinding {
        let start = span.label.map { "'\($0)'" } ?? start
        var found: (packet: ObservedPacket, delivered: Instant)?
        var isTooLate = false
        for connection in candidates {
            let life = lives.life(of: connection)
            for answer in connection.answers {
                guard let delivered = answer.delivered, delivered > begin else { continue }
                guard life?.isAnswered(by: answer) ?? true else {
                    isTooLate = true
                    break
                }
                if found.map({ delivered < $0.delivered }) ?? true { found = (answer, delivered) }
                break
            }
        }
        guard let (found, delivered) = found else {
            let rest = max(record.end - begin, .zero)
            let end = record.goesOn ? "" : " to the command's end"
            var words = "no byte of an answer came in the \(rest.words) from \(start)\(end)"
            if isTooLate { words += ", but on connections that the client had closed or given up" }
            let attempts = candidates.compactMap(\.attempts.last)
            // Any answer would have been later than the end of the record.
            guard rest <= limit else { return .late(words, from: begin, to: record.end, limit: limit, attempts) }
            return ClientFinding(.fail, words, attempts)
        }
        let time = delivered - begin
        let words = "\(what) came \(time.words) after \(start)"
        guard time > limit else { return ClientFinding(.pass, words, [found]) }
        return .late(words, from: begin, to: delivered, limit: limit, [found])
    }
}
