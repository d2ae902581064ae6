// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles
internal import Statistics

/// The networks of repeated runs: a row for each, with the share of its runs that the client survived.
struct NetworksTable {
    private let tally: TrialTally

    init(_ tally: TrialTally) { self.tally = tally }

    var markup: Markup {
        let head = ["Network", "Survived"] + tally.expectations + ["Median time", "Findings"]
        let heads = Markup("tr", head.map { Markup("th", ["scope": "col"], [PageParts.name($0)]) })
        let attributes: KeyValuePairs = ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Networks"]
        return Markup("div", attributes, [Markup("table", ["class": "cards"], [heads] + tally.networks.map(row))])
    }

    private func row(_ network: TrialTally.Network) -> Markup {
        let head = Markup("th", ["scope": "row"], [PageParts.badge(network.word), PageParts.name(network.name)])
        let survived = Markup(
            "td",
            ["data-name": "Survived"],
            [Markup("p", text: network.survivalWords), SurvivalBar(network.survival).markup]
        )
        let verdicts = tally.expectations.map { expectation -> Markup in
            let (name, counts) = (expectation.shortened(to: 200), network.verdicts[expectation])
            guard let counts else { return Markup("td", ["data-name": name], text: "–") }
            let kind = counts.failed > 0 ? "fail" : counts.inconclusive > 0 ? "inconclusive" : "pass"
            return Markup("td", ["class": "cell \(kind)", "data-name": name], text: counts.words)
        }
        let time = Markup(
            "td",
            ["class": "figure", "data-name": "Median time"],
            text: network.medianDuration?.words ?? "–"
        )
        let words = network.findingWords
        let findings = words.isEmpty ? Markup("td") : Markup("td", ["data-name": "Findings"], [PageParts.name(words)])
        return Markup("tr", [head, survived] + verdicts + [time, findings])
    }
}

/// A share as a bar, with its interval as a line.
private struct SurvivalBar {
    private let interval: WilsonInterval
    private static let (width, height) = (120, 12)

    init(_ interval: WilsonInterval) { self.interval = interval }

    var markup: Markup {
        func x(_ share: Double) -> String { "\((share * Double(Self.width) * 10).rounded() / 10)" }
        let (height, middle) = ("\(Self.height)", "\(Self.height / 2)")
        let frame = Markup("rect", ["class": "share none", "width": "\(Self.width)", "height": height])
        var parts = [frame]
        if let share = interval.share {
            let (low, high) = (x(interval.range.lowerBound), x(interval.range.upperBound))
            parts.append(Markup("rect", ["class": "share", "width": x(share), "height": height]))
            parts.append(Markup("line", ["class": "limit", "x1": low, "x2": high, "y1": middle, "y2": middle]))
        }
        let box = "0 0 \(Self.width) \(Self.height)"
        return Markup(
            "svg",
            ["viewBox": box, "width": "\(Self.width)", "height": height, "aria-hidden": "true"],
            parts
        )
    }
}

extension TrialTally.Network {
    /// The result of the network's runs in a word.
    package var word: String { failed + errors > 0 ? Verdict.fail.word : survived < runs ? "inconclusive" : "pass" }

    /// "18 of 20 (70 % to 97 %)": the runs that the client survived, of those with a result, and the 95 % interval of
    /// their share.
    package var survivalWords: String {
        guard runs > 0 else { return "no run" }
        guard decided > 0 else { return "unknown: 0 of \(runs.of("run")) with a result" }
        let range = "\(Self.percent(survival.range.lowerBound)) to \(Self.percent(survival.range.upperBound))"
        let rest = runs - decided
        return "\(survived) of \(decided) (\(range))" + (rest > 0 ? "; \(rest) without a result" : "")
    }

    private static func percent(_ share: Double) -> String {
        Probability(fraction: (share * 1000).rounded() / 1000).description
    }

    /// "at most 2 connections (2 of 20), the command exited with 1 (1 of 20)"; empty if nothing failed.
    package var findingWords: String {
        findings.map { "\($0.title) (\($0.count) of \(runs))" }.joined(separator: ", ")
    }
}

extension TrialTally.Verdicts {
    /// "18 pass, 2 FAIL".
    fileprivate var words: String {
        [(passed, Verdict.pass), (failed, .fail), (inconclusive, .inconclusive), (skipped, .skipped)]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1.word)" }.joined(separator: ", ")
    }
}
