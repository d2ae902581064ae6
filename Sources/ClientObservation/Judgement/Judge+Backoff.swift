// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// `attempts back off`
extension Judge {
    /// Waits that are spread by more than this need more of them to tell.
    private static let muchJitter = 0.15
    private static let gapsWithJitter = 5

    func backingOff(_ peer: Peer?, in span: Span) -> Finding {
        let attempts = connections(to: peer).filter { connection in
            connection.carrier != .udp && connection.attempts.first.map { span.contains($0.sent) } ?? false
        }
        guard !attempts.isEmpty else {
            return Finding(.inconclusive, "no connection was attempted\(span.phrase("during"))")
        }
        let runs = Dictionary(grouping: attempts, by: \.server).values.flatMap { retries(of: $0) }
            .sorted { $0.packets[0].sent < $1.packets[0].sent }
        guard !runs.isEmpty else {
            return Finding(.inconclusive, "\(counted(attempts.count, "attempt")), none made again after a failure")
        }
        let findings = runs.map { judge($0.packets, to: $0.server) }
        let worst = Finding.worst(of: findings)
        // One server that is tried often enough tells; the others need not be.
        return worst.verdict == .inconclusive ? findings.first { $0.verdict == .pass } ?? worst : worst
    }

    /// The attempts at one server of which each followed a failure of the one before: a success ends a run of them, since
    /// what comes later is no retry.
    private func retries(of connections: [Connection]) -> [(server: Endpoint, packets: [ObservedPacket])] {
        var runs: [[ObservedPacket]] = []
        var goesOn = false
        for connection in connections.sorted(by: { $0.attempts[0].sent < $1.attempts[0].sent }) {
            if goesOn {
                runs[runs.count - 1].append(connection.attempts[0])
            } else {
                runs.append([connection.attempts[0]])
            }
            goesOn = !connection.hasSucceeded
        }
        return runs.filter { $0.count > 1 }.map { (connections[0].server, $0) }
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
        return switch backoff.trend {
        case .growing: Finding(.pass, words, packets)
        case .steady: Finding(.fail, words, packets)
        case .unclear: Finding(.inconclusive, words, packets)
        }
    }
}

extension Connection {
    /// Whether the client got what it asked for, as far as packets tell: the last answer where requests are seen, the end
    /// of the handshake with TLS, else any byte.
    fileprivate var hasSucceeded: Bool {
        if let request = requests.last { return request.status.map { $0 < 500 && $0 != 429 } ?? false }
        return tlsVersion == nil ? !answers.isEmpty : secured != nil
    }
}

extension Backoff {
    /// "first wait 1 s, each 2.0 times the one before, 10 % more or less, at most 30 s"
    fileprivate var words: String {
        if isDecorrelated { return "waits at random, each at most 3 times the one before" }
        let tenths = Int((factor * 10).rounded())
        var words = "first wait \(base.words), each \(tenths / 10).\(tenths % 10) times the one before"
        let percent = Int((jitter * 100).rounded())
        if percent > 0 { words += ", \(percent) % more or less" }
        if let cap { words += ", at most \(cap.words)" }
        return words
    }
}
