// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `resumes`
extension ClientJudge {
    /// The time for which received bytes may wait unread in the client's kernel.
    private static let unread = Duration.milliseconds(100)

    func resumption(_ peer: Peer?) -> ClientFinding {
        let connections = connections(to: peer)
        let gets = connections.enumerated().flatMap { number, connection in
            connection.requests.filter { $0.method == "GET" }.map { (request: $0, connection: number) }
        }
        .sorted { $0.request.packet.sent < $1.request.packet.sent }
        // The indices of requests with the same host and target, in order.
        let same = Dictionary(grouping: gets.indices) { [gets[$0].request.host ?? "", gets[$0].request.target] }
        let hidden = connections.lazy.compactMap(\.hiddenRequests).first
        var findings: [ClientFinding] = []
        for indices in same.values {
            for (place, index) in indices.enumerated() {
                let get = gets[index].request
                guard get.isIncomplete, let last = get.received.last else { continue }
                let connection = connections[gets[index].connection]
                let ending = AnswerEnding(of: get, on: connection, lives.life(of: connection))
                let retry = indices[(place + 1)...].lazy.map { gets[$0].request }.first { $0.packet.sent > last }
                let isCut = min(ending.latest, record.end) < record.end || retry != nil
                guard isCut, let finding = verdict(on: get, ending, retry, hidden) else { continue }
                findings.append(finding)
            }
        }
        if !findings.isEmpty { return Self.sum(findings, hidden) }
        return ClientFinding(.inconclusive, hidden ?? "no answer to a GET was interrupted")
    }

    /// The verdict on a request whose answer is incomplete; nil if the client did not want the rest.
    private func verdict(
        on get: ObservedRequest,
        _ ending: AnswerEnding,
        _ retry: ObservedRequest?,
        _ hidden: String?
    ) -> ClientFinding? {
        let received = get.received
        guard let retry else {
            guard ending.isLoss else { return nil }
            let end = received.begin + received.bytes(at: ending.latest)
            let words = "GET \(get.target) was interrupted after \(counted(end, "byte")), and not sent again"
            return ClientFinding(hidden == nil ? .fail : .inconclusive, words, [get.packet])
        }
        let latest = min(ending.latest, retry.packet.sent)
        let maximum = received.begin + received.bytes(at: latest)
        let minimum = received.begin + received.bytes(at: min(ending.earliest, latest))
        let surely = received.begin + received.bytes(at: min(ending.earliest, latest) + (.zero - Self.unread))
        let words = "GET \(get.target) was interrupted after \(counted(maximum, "byte")), and sent again"
        let packets = [get.packet, retry.packet]
        // Waiting for a CPU explains that bytes are asked for again only if they were still unread when a time limit of
        // the client ended.
        func failure(_ words: String, from first: Int = 0) -> ClientFinding {
            let waited = record.waited(from: get.packet.sent, to: retry.packet.sent)
            let read = received.bytes(at: min(ending.earliest, latest) + (.zero - Self.unread - waited))
            guard waited < Doubt.shortestDoubtfulWait || first < received.begin + read else {
                return ClientFinding(.fail, words, packets)
            }
            return .certain(words, packets, since: retry.packet.sent)
        }
        switch retry.part {
        case .other: return ClientFinding(.inconclusive, "\(words) with Range: \(retry.range ?? "")", packets)
        case .all where received.isIndivisible:
            return ClientFinding(.inconclusive, "\(words) without a Range, since the server sends no parts", packets)
        case .all:
            guard maximum > 0 else { return nil }
            return failure("\(words) without a Range: \(counted(maximum, "byte")) were sent twice")
        case .from(let first):
            let words = "\(words) from byte \(first)"
            if first > maximum {
                let missing = "\(counted(first - maximum, "byte")) were left out"
                return .certain("\(words): \(missing)", packets, since: retry.packet.sent)
            }
            if first >= minimum { return ClientFinding(.pass, words, packets) }
            let twice = "\(counted(maximum - first, "byte")) were sent twice"
            guard first < surely else {
                return ClientFinding(.inconclusive, "\(words): \(twice), which came just before it ended", packets)
            }
            return failure("\(words): \(twice)", from: first)
        }
    }

    /// The first failure, else the first inconclusive finding, else a pass with the number of resumed requests.
    private static func sum(_ findings: [ClientFinding], _ hidden: String?) -> ClientFinding {
        let ordered = findings.sorted { $0.packets.first ?? 0 < $1.packets.first ?? 0 }
        var worst = ClientFinding.worst(of: ordered)
        guard worst.verdict == .pass else { return worst }
        if findings.count > 1 { worst.words += "; \(findings.count - 1) more were resumed" }
        if let hidden { return ClientFinding(.inconclusive, "\(worst.words); but \(hidden)") }
        return worst
    }
}

extension ObservedRequest {
    /// Whether the answer can be resumed: its body has started to arrive, and is incomplete.
    fileprivate var isIncomplete: Bool {
        (status == 200 || status == 206) && completed == nil && !mayBeAnswered && received.bytes > 0
    }
}
