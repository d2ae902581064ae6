// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// `attempts back off`
extension Judge {
    /// Waits that grow less than this from one to the next do not grow.
    private static let leastFactor = 1.15
    /// Waits that grow more do.
    private static let certainFactor = 1.3
    /// Waits that are spread by more than this need more of them to tell.
    private static let muchJitter = 0.15
    private static let gapsWithJitter = 5

    func backingOff(_ peer: Peer?, in span: Span) -> Finding {
        var attempts: [Endpoint: [ObservedPacket]] = [:]
        for connection in connections(to: peer) {
            guard let first = connection.attempts.first, span.contains(first.sent) else { continue }
            attempts[connection.server, default: []].append(first)
        }
        let findings = attempts.sorted { $0.value[0].sent < $1.value[0].sent }.map { judge($0.value, to: $0.key) }
        guard !findings.isEmpty else {
            return Finding(.inconclusive, "no connection was attempted\(span.phrase("during"))")
        }
        let worst = Finding.worst(of: findings)
        // One server that is tried often enough tells; the others need not be.
        return worst.verdict == .inconclusive ? findings.first { $0.verdict == .pass } ?? worst : worst
    }

    private func judge(_ packets: [ObservedPacket], to server: Endpoint) -> Finding {
        let number = "\(counted(packets.count, "attempt")) to \(server)"
        guard let backoff = Backoff(fitting: packets.map(\.sent)) else {
            return Finding(.inconclusive, "\(number) are too few to tell", packets)
        }
        let words = "\(number): \(backoff.words)"
        if backoff.jitter > Self.muchJitter, backoff.gaps < Self.gapsWithJitter {
            return Finding(.inconclusive, "\(words); too few to tell, as they are spread", packets)
        }
        if backoff.factor >= Self.certainFactor { return Finding(.pass, words, packets) }
        if backoff.factor <= Self.leastFactor { return Finding(.fail, words, packets) }
        return Finding(.inconclusive, words, packets)
    }
}

extension Backoff {
    /// "first wait 1 s, each 2.0 times the one before, 10 % more or less, at most 30 s"
    fileprivate var words: String {
        let tenths = Int((factor * 10).rounded())
        var words = "first wait \(base.words), each \(tenths / 10).\(tenths % 10) times the one before"
        let percent = Int((jitter * 100).rounded())
        if percent > 0 { words += ", \(percent) % more or less" }
        if let cap { words += ", at most \(cap.words)" }
        return words
    }
}
