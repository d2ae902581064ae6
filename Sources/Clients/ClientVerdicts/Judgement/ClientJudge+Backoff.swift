// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// `attempts back off`
extension ClientJudge {
    /// The jitter above which at least `gapsWithJitter` waits are needed for a verdict.
    private static let muchJitter = 0.15
    private static let gapsWithJitter = 5

    func backingOff(_ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let attempts = connections(to: peer).filter { connection in
            connection.carrier != .udp && connection.attempts.first.map { span.contains($0.sent) } ?? false
        }
        guard !attempts.isEmpty else {
            return ClientFinding(.inconclusive, "no connection was attempted\(span.phrase("during"))")
        }
        let runs = Dictionary(grouping: attempts, by: \.server).values.flatMap { retries(of: $0) }
            .sorted { $0[0].attempts[0].sent < $1[0].attempts[0].sent }
        guard !runs.isEmpty else {
            return ClientFinding(
                .inconclusive,
                "\(counted(attempts.count, "attempt")), none made again after a failure"
            )
        }
        let findings = runs.map { judge($0) }
        let worst = ClientFinding.worst(of: findings)
        // One server with a clear finding decides; the findings on others may be inconclusive.
        return worst.verdict == .inconclusive ? findings.first { $0.verdict == .pass } ?? worst : worst
    }

    /// Whether the client got something that it asked for, as far as packets show: an answer if requests can be read,
    /// the end of the handshake with TLS, else any byte.
    private func hasSucceeded(_ connection: Connection) -> Bool {
        guard connection.requests.isEmpty else {
            let life = lives.life(of: connection)
            return connection.requests.contains {
                !$0.isRefused && connection.outcome(of: $0, life) != .unanswered
            }
        }
        return connection.tlsVersion == nil ? !connection.answers.isEmpty : connection.secured != nil
    }

    /// Splits the attempts at one server into runs in which each attempt followed a failure of the one before. A
    /// success ends a run, since a later attempt is no retry.
    private func retries(of connections: [Connection]) -> [[Connection]] {
        var runs: [[Connection]] = []
        var goesOn = false
        for connection in connections.sorted(by: { $0.attempts[0].sent < $1.attempts[0].sent }) {
            if goesOn { runs[runs.count - 1].append(connection) } else { runs.append([connection]) }
            goesOn = !hasSucceeded(connection)
        }
        return runs.filter { $0.count > 1 }
    }

    private func judge(_ attempts: [Connection]) -> ClientFinding {
        let packets = attempts.map { $0.attempts[0] }
        let number = "\(counted(packets.count, "attempt")) to \(attempts[0].server)"
        if let storm = storm(attempts) {
            let words = "\(number) in \(storm.words), each after the one before had failed"
            return .certain("\(words): too fast for waits that grow", packets, since: packets[packets.count - 1].sent)
        }
        guard let backoff = Backoff(fitting: packets.map(\.sent)) else {
            return ClientFinding(.inconclusive, "\(number) are too few to tell", packets)
        }
        // The time between two attempts is the time until the first fails, and the pause after that: if either grows,
        // the client backs off.
        let pauses = pauses(between: attempts)
        let known = pauses.filter(\.isKnown).map(\.shortest)
        let areAllKnown = known.count == pauses.count
        func finding(_ waits: [Duration]) -> ClientFinding? {
            Backoff(waits: waits).map { judge($0, number, packets, "pause after a failure") }
        }
        var findings = [judge(backoff, number, packets, "wait")]
        // If the known ones grow, that is enough; if they do not, others may.
        if let finding = finding(known), areAllKnown || finding.verdict == .pass { findings.append(finding) }
        if !areAllKnown, var finding = finding(pauses.map(\.longest)), finding.verdict != .fail {
            finding.verdict = .inconclusive
            if !finding.words.hasSuffix(Self.fewWords) { finding.words += Self.fewWords }
            finding.words += ": the ends of attempts, and so the pauses after them, were not seen sharply"
            findings.append(finding)
        }
        return findings.first { $0.verdict == .pass } ?? findings.last { $0.verdict == .inconclusive } ?? findings[0]
    }

    /// The time of so many failures and retries that even the least waits that grow would have taken longer; nil if they
    /// may grow. Waits of milliseconds are too uncertain to fit, but their sum is known.
    private func storm(_ attempts: [Connection]) -> Duration? {
        let retries = zip(attempts, attempts.dropFirst()).count { failed, next in
            // Attempts side by side are no retries.
            let end = lives.life(of: failed)?.end ?? .distantFuture
            return end <= next.attempts[0].sent
        }
        let (first, last) = (attempts[0].attempts[0].sent, attempts[attempts.count - 1].attempts[0].sent)
        let time = last - first
        return retries >= Backoff.fewestOfStorm && time < Backoff.leastTime(of: retries) ? time : nil
    }

    private static let fewWords = "; more attempts would tell"

    /// - Parameter noun: the name of the waits, in the singular.
    private func judge(
        _ backoff: Backoff,
        _ number: String,
        _ packets: [ObservedPacket],
        _ noun: String
    ) -> ClientFinding {
        let words = "\(number): \(backoff.words(noun))"
        if backoff.jitter > Self.muchJitter, backoff.gaps < Self.gapsWithJitter {
            return ClientFinding(.inconclusive, words + Self.fewWords, packets)
        }
        return switch backoff.trend {
        case .growing: ClientFinding(.pass, words, packets)
        case .steady: ClientFinding(.fail, words, packets)
        case .unclear: ClientFinding(.inconclusive, words + Self.fewWords, packets)
        }
    }

    /// The bounds of a pause from the end of an attempt, which a scan of the sockets may show, to the start of the next.
    private struct Pause {
        var shortest: Duration
        var longest: Duration

        /// Whether the bounds are close enough to take the pause for the shortest.
        var isKnown: Bool { shortest > .zero && longest - shortest <= shortest * 0.1 }
    }

    private func pauses(between attempts: [Connection]) -> [Pause] {
        zip(attempts, attempts.dropFirst()).compactMap { failed, next in
            lives.life(of: failed).map { life in
                let start = next.attempts[0].sent
                return Pause(shortest: max(start - life.end, .zero), longest: max(start - life.lastHeld, .zero))
            }
        }
    }
}

extension ObservedRequest {
    /// The gRPC statuses that ask a client to retry later: RESOURCE_EXHAUSTED and UNAVAILABLE.
    private static let grpcRefusals = [8, 14]

    /// Whether the server answered that it did not perform the request.
    fileprivate var isRefused: Bool {
        status.map { $0 >= 500 || $0 == 429 } ?? true || grpcStatus.map(Self.grpcRefusals.contains) ?? false
    }
}

extension Backoff {
    /// "first wait 1 s, each 2.0 times the one before, 10 % more or less, at most 30 s"
    fileprivate func words(_ noun: String) -> String {
        if isDecorrelated { return "\(noun) at random, each at most 3 times the one before" }
        let tenths = Int((factor * 10).rounded())
        var words = "first \(noun) \(base.words), each \(tenths / 10).\(tenths % 10) times the one before"
        let percent = Int((jitter * 100).rounded())
        if percent > 0 { words += ", \(percent) % more or less" }
        if let cap { words += ", at most \(cap.words)" }
        return words
    }
}
