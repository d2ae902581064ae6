// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Judges expectations about HTTP requests taken together.
extension ClientJudge {
    /// `sends no request twice`
    func repeatedRequests(_ peer: Peer?) -> ClientFinding {
        let connections = connections(to: peer)
        let all = connections.sentRequests(since: record.beginsLater ? record.begin : nil) { lives.life(of: $0) }
        let reason = connections.lazy.compactMap(\.hiddenRequests).first
        guard !all.isEmpty else {
            return ClientFinding(.inconclusive, reason ?? "no request of HTTP was seen")
        }
        var doubt: ClientFinding?
        for sent in all where !sent.request.isSafeToRepeat {
            guard let first = sent.repeated, !first.isSafeToRepeat, let number = sent.repeatedConnection else {
                continue
            }
            let hadFailed = hadFailed(first, on: connections[number], before: sent.request.packet.sent)
            guard sent.isCertain, hadFailed else {
                let reason =
                    if sent.repeatedOutcome == .unreadable {
                        "an answer to the first may have come that could not be read"
                    } else if sent.repeatedOutcome == .half {
                        "half of an answer to the first came, and the client may have had enough of it"
                    } else if !sent.isCertain {
                        "not all of its body was seen"
                    } else {
                        "the first was still under way, and it may be another one"
                    }
                let words = "\(sent.request.method) \(sent.request.target) may have been sent again: \(reason)"
                doubt = doubt ?? ClientFinding(.inconclusive, words, [first.packet, sent.request.packet])
                continue
            }
            let words =
                "\(sent.request.method) \(sent.request.target) was sent again after its connection had failed"
                + answerClause(first, on: connections[number])
            return .certain(words, [first.packet, sent.request.packet], since: sent.request.packet.sent)
        }
        if let doubt { return doubt }
        let words = "\(counted(all.count, "request")), none sent again that must not be"
        let damage = traffic.link.unplaced.data.isEmpty ? nil : "the link damaged packets that may have held others"
        return (reason ?? damage).map { ClientFinding(.inconclusive, "\(words); but \($0)") }
            ?? ClientFinding(.pass, words)
    }

    /// The part of the finding's sentence about the answer to a failed request; empty if none came.
    private func answerClause(_ request: ObservedRequest, on connection: Connection) -> String {
        guard let answer = request.answer else { return "" }
        let isInTime = lives.life(of: connection)?.isAnswered(by: answer) ?? true
        return isInTime ? ", when half of an answer had come" : "; an answer came later"
    }

    /// Whether a request could no longer be answered at `moment`: its stream or its connection had ended.
    private func hadFailed(_ request: ObservedRequest, on connection: Connection, before moment: Instant) -> Bool {
        if let reset = request.reset, reset <= moment { return true }
        let hasEnded = connection.endings.contains { $0.noticed ?? .distantFuture <= moment }
        // Unacknowledged data on a dead link delays the client's FIN, but a scan of the sockets shows the close.
        return hasEnded || lives.life(of: connection).map { $0.end <= moment } ?? false
    }
}
