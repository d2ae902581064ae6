// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
package import ClientVerdicts
internal import Glibc
internal import LinkProfiles

extension RunReport {
    /// The run's title: its scenario, else its profile, else its command.
    package var title: String { context.scenario ?? context.profile ?? context.command.first ?? "run" }

    /// The run's result in a word: its verdict, or "done" or "failed" without expectations.
    package var word: String {
        guard results.isEmpty, verdict != .inconclusive else { return verdict.word }
        return verdict == .pass ? "done" : "failed"
    }

    /// The run in one sentence: "4 connections, 14 requests, 16 of 240 packets lost; 3 s of 'in the lift'".
    var overview: String {
        var parts = [totals.connections.of("connection")]
        if totals.accepted < totals.connections {
            parts.append("\(totals.connections - totals.accepted) never accepted")
        }
        if totals.requests > 0 { parts.append(totals.requests.of("request")) }
        if let log = timeline?.requests, log.unansweredCount > 0 {
            parts.append("\(log.unansweredCount) without an answer")
        }
        if let log = timeline?.requests, log.repeatedCount > 0 { parts.append("\(log.repeatedCount) sent again") }
        parts.append(
            totals.dropped > 0
                ? "\(totals.dropped) of \(totals.packets.of("packet")) lost" : totals.packets.of("packet")
        )
        return ([parts.joined(separator: ", ")] + (timeline?.labelledTimes ?? [])).joined(separator: "; ")
    }

    /// Whether the command failed, and no failed expectation says so.
    var hasCommandFailed: Bool {
        commandVerdict == .fail && !results.contains { $0.verdict == .fail && $0.expectation.hasPrefix("exits with ") }
    }

    /// A note that some expectations are inconclusive; nil if none is.
    package var doubtSentence: String? {
        let doubts = results.count { $0.verdict == .inconclusive }
        return doubts == 0 ? nil : "\(doubts) of \(results.count) expectations could not be judged"
    }

    /// Sentences on the parts of the conditions that met no packet, each with its verdict; at most 20, and one on the
    /// rest.
    package var missSentences: [String] {
        let sentences = missed.compactMap { each in each.part.missSentence.map { "\(each.verdict.word)  \($0)" } }
        let more = sentences.count - Self.maximumMisses
        guard more > 0 else { return sentences }
        return sentences.prefix(Self.maximumMisses) + ["\(more) more parts of the conditions met no packet"]
    }

    /// Sentences on what competing traffic did to the run's packets.
    package var effectSentences: [String] {
        conditions.compactMap { each in each.part.effect.map { "\(each.part.name): \($0)" } }
    }

    private static let maximumMisses = 20

    /// A sentence on the verdicts of tests inside the run: each test counts with its worst verdict; nil without such
    /// tests.
    package var testSentence: String? {
        guard testCount > 0 else { return nil }
        let counts = [Verdict.pass, .fail, .inconclusive, .skipped].compactMap { verdict in
            let count = tests.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.word)"
        }
        let part = testCount > tests.count ? " (the first \(tests.count) of \(testCount))" : ""
        return "Verdicts of tests inside: \(counts.joined(separator: ", "))\(part)"
    }

    /// The tests' verdicts on single expectations, failures first.
    var testResults: [(test: TestVerdicts, result: Result)] {
        tests.flatMap { test in test.results.map { (test: test, result: $0) } }
            .sorted { $0.result.verdict.urgency < $1.result.verdict.urgency }
    }

    /// The test's name; without one, the period of the run that it covers.
    func name(of test: TestVerdicts) -> String {
        let start = Instant(nanoseconds: begin)
        return test.name ?? "from \((test.begin - start).words) to \((test.end - start).words)"
    }

    /// Sentences on changes of the time of day; empty if there were none.
    package var clockSentences: [String] {
        clockChanges.map { each in
            let change =
                each.change < .zero ? "back by \((.zero - each.change).words)" : "forward by \(each.change.words)"
            return "the time of day was set \(change), \(each.time.words) after the start; all times are by the clock "
                + "of the start"
        }
    }

    /// The start in UTC, in the format of RFC 3339.
    var beginText: String {
        var seconds = time_t(begin / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension RunTimeline {
    /// "3 s of 'in the lift'", for each of the first steps.
    fileprivate var labelledTimes: [String] {
        var times: [(label: String, length: Duration)] = []
        for period in periods {
            guard let label = period.label else { continue }
            let length = period.end - period.begin
            if let index = times.firstIndex(where: { $0.label == label }) {
                times[index].length += length
            } else if times.count < 3 {
                times.append((label, length))
            }
        }
        return times.map { "\($0.length.words) of '\($0.label.shortened(to: 60))'" }
    }
}

extension RunReport.Context {
    /// The seed, and the version of the random sequence.
    var seedWords: String { "\(seed) (random sequence \(randomSequence))" }

    /// The known conditions of the run, with their names.
    var conditions: [(name: String, value: String)] {
        [
            ("scenario", scenario), ("profile", profile), ("seed", seedWords), ("engine", engine),
            ("server's congestion control", serverCongestion), ("kernel", kernel),
        ].compactMap { name, value in value.map { (name: name, value: $0) } }
    }
}

extension RunReport.Result {
    /// The numbers of the first packets that show the finding; nil if there are none.
    package func packetList(limit: Int = 20) -> String? {
        guard !packets.isEmpty else { return nil }
        let shown = packets.prefix(limit).map(String.init).joined(separator: ", ")
        return packets.count > limit ? "\(shown) and \(packets.count - limit) more" : shown
    }
}

extension CommandEnd {
    /// The command's end, as a sentence.
    package var sentence: String {
        switch self {
        case .exited(let status): "The command exited with \(status)"
        case .killed(let signal): "Signal \(signal) ended the command"
        case .timedOut: "The command exceeded its time limit and was ended: what follows is complete up to there"
        case .failedFast:
            "An expectation could no longer hold, and the command was ended: what follows is complete up to there"
        case .notStarted: "The command could not be executed"
        }
    }
}

extension Verdict {
    /// The verdict as it is printed.
    package var word: String { self == .fail ? "FAIL" : rawValue }

    /// The order in which verdicts are listed: failures first, then inconclusive ones.
    var urgency: Int { [.fail, .inconclusive, .skipped, .pass].firstIndex(of: self) ?? 0 }
}
