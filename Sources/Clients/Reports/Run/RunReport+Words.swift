// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
package import ClientVerdicts
internal import Glibc
internal import LinkProfiles

extension RunReport {
    /// The run's title: its scenario, else its profile, else its command.
    package var title: String { context.scenario ?? context.profile ?? context.command.first ?? "run" }

    /// The run's result, in a word.
    package var word: String {
        guard results.isEmpty, verdict != .inconclusive else { return verdict.word }
        return verdict == .pass ? "done" : "failed"
    }

    /// A note that some expectations have no answer, for people; nil if all have one.
    package var doubtSentence: String? {
        let doubts = results.count { $0.verdict == .inconclusive }
        return doubts == 0 ? nil : "\(doubts) of \(results.count) expectations could not be judged"
    }

    /// The parts of the conditions that met no packet, for people, each with its verdict; at most 20.
    package var missSentences: [String] {
        let sentences = missed.compactMap { each in each.part.missSentence.map { "\(each.verdict.word)  \($0)" } }
        let more = sentences.count - Self.maximumMisses
        guard more > 0 else { return sentences }
        return sentences.prefix(Self.maximumMisses) + ["\(more) more parts of the conditions met no packet"]
    }

    private static let maximumMisses = 20

    /// The verdicts that tests inside the run received, for people: each test counts with its worst verdict; nil
    /// without such tests.
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

    /// The test's name, or else the part of the run that it had judged.
    func name(of test: TestVerdicts) -> String {
        let start = Instant(nanoseconds: begin)
        return test.name ?? "from \((test.begin - start).words) to \((test.end - start).words)"
    }

    /// Notes that the time of day was set, for people; empty if it was not.
    package var clockSentences: [String] {
        clockChanges.map { each in
            let change =
                each.change < .zero ? "back by \((.zero - each.change).words)" : "forward by \(each.change.words)"
            return "the time of day was set \(change), \(each.time.words) after the start; all times are by the clock "
                + "of the start"
        }
    }

    /// The start as RFC 3339 has it, in UTC.
    var beginText: String {
        var seconds = time_t(begin / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension RunReport.Context {
    /// The seed, and the version of what it decides.
    var seedWords: String { "\(seed) (random sequence \(randomSequence))" }

    /// The conditions of the run that are known, by name.
    var conditions: [(name: String, value: String)] {
        [
            ("scenario", scenario), ("profile", profile), ("seed", seedWords), ("engine", engine),
            ("server's congestion control", serverCongestion), ("kernel", kernel),
        ].compactMap { name, value in value.map { (name: name, value: $0) } }
    }
}

extension RunReport.Result {
    /// The first packets that show it; nil for none.
    package func packetList(limit: Int = 20) -> String? {
        guard !packets.isEmpty else { return nil }
        let shown = packets.prefix(limit).map(String.init).joined(separator: ", ")
        return packets.count > limit ? "\(shown) and \(packets.count - limit) more" : shown
    }
}

extension CommandEnd {
    /// The way in which the command ended.
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

    /// Failures first, then doubts.
    var urgency: Int { [.fail, .inconclusive, .skipped, .pass].firstIndex(of: self) ?? 0 }
}
