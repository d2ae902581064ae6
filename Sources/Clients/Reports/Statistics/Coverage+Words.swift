// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension Coverage {
    /// The result in one sentence, without a full stop.
    package var sentence: String {
        let (least, most) = (share.lowerBound.percent, share.upperBound.percent)
        let range = interval.map { " (95 % interval: \($0.words))" } ?? ""
        let result = "survives \(isConclusive ? least : "at least \(least) and at most \(most)") of \(name)\(range)"
        return ([result] + [noInterval, doubt].compactMap { $0 }).joined(separator: "; ")
    }

    private var noInterval: String? {
        let isMissing = interval == nil && networks.contains { $0.decided > 0 }
        return isMissing ? "no interval, since no network has two decided runs" : nil
    }

    private var doubt: String? {
        isConclusive ? nil : "inconclusive: \(undecided.percent) of the population has no decided run"
    }

    /// The heads of the table of costs.
    package static let heads = ["lost", "share", "network", "survived"]

    /// The rows of the table of costs, at most `limit`, and a last one that counts the rest.
    package func rows(limit: Int = 10) -> [[String]] {
        let costs = costs
        let shown = costs.prefix(limit).map { network in
            [network.decided > 0 ? network.lost.percent : "?", network.weight.percent, network.name, network.result]
        }
        guard costs.count > shown.count else { return shown }
        let lost = costs.dropFirst(limit).reduce(0) { $0 + $1.lost }
        return shown + [[lost.percent, "", "\(costs.count - shown.count) more", ""]]
    }

    /// Properties for junit.xml.
    package var properties: [(name: String, value: String)] {
        let values = [
            ("population", name), ("coverage", share.words), ("coverage interval", interval?.words),
            ("coverage undecided", isConclusive ? nil : undecided.percent),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The lines of summary.md: the sentence, and the table of costs.
    package var summary: [String] {
        var lines = ["\(SummaryText.plain("\(sentence.prefix(1).uppercased())\(sentence.dropFirst())")).", ""]
        let rows = rows(limit: 100)
        if !rows.isEmpty {
            let cells = [Self.heads, Self.heads.map { _ in "---" }] + rows.map { $0.map(SummaryText.plain) }
            lines += cells.map { "| \($0.joined(separator: " | ")) |" } + [""]
        }
        if let source { lines += ["Shares: \(SummaryText.plain(source)).", ""] }
        return lines
    }

    /// The member "coverage" of summary.json.
    package var json: JSON {
        let bounds = interval.map { range in
            JSON(
                ("lower", .number(range.lowerBound.rounded)),
                ("upper", .number(range.upperBound.rounded)),
                ("confidence", .number(0.95))
            )
        }
        return JSON(
            ("population", .text(name)),
            ("atLeast", .number(share.lowerBound.rounded)),
            ("atMost", .number(share.upperBound.rounded)),
            ("interval", bounds),
            ("undecided", .number(undecided.rounded)),
            (
                "networks",
                .list(
                    networks.map { network in
                        JSON(
                            ("name", .text(network.name)),
                            ("share", .number(network.weight.rounded)),
                            ("survived", .number(network.survived)),
                            ("decided", .number(network.decided)),
                            ("lost", network.decided > 0 ? .number(network.lost.rounded) : nil)
                        )
                    }
                )
            )
        )
    }
}

extension Coverage.Network {
    /// "13 of 20".
    var result: String { decided > 0 ? "\(survived) of \(decided)" : "no decided run" }
}

extension ClosedRange<Double> {
    /// "87.3 %", or "81.2 % to 92 %".
    fileprivate var words: String {
        upperBound - lowerBound < 1e-9 ? upperBound.percent : "\(lowerBound.percent) to \(upperBound.percent)"
    }
}

extension Double {
    /// The share in tenths of a percent. Only all is 100 %, and only nothing is 0 %.
    var percent: String {
        let isInside = self > 1e-9 && self < 1 - 1e-9
        let tenths = (self * 1000).rounded()
        return Probability(fraction: (isInside ? min(max(tenths, 1), 999) : tenths) / 1000).description
    }

    /// The number with at most six decimal places.
    fileprivate var rounded: Double { (self * 1e6).rounded() / 1e6 }
}
