// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts

/// The topics of `linkcond help`, which are manual pages, too.
enum HelpTopic: String, CaseIterable {
    case profiles, scenarios, faults, rules, expectations

    /// The width of the text; that of the terminal does not matter, as in a manual page that is printed.
    private static let width = 80

    /// The explanation: a title, paragraphs, and between them rows whose beginnings stand in a column.
    var text: String {
        blocks.split(separator: "\n\n").map { block in
            let rows = block.split(separator: "\n")
            let isParagraph = rows.first?.first.map { $0 != " " && $0 != "{" } ?? false
            return isParagraph
                ? WrappedText.lines(of: rows.joined(separator: " "), width: Self.width) : rows.flatMap(Self.wrapped)
        }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// A row of two columns, or an indented line, on several lines if it is too long.
    private static func wrapped(_ row: Substring) -> [String] {
        guard row.count > width else { return [String(row)] }
        // The second column, if there is one, begins after the last two blanks of the first half.
        let half = Array(row.prefix(width / 2))
        let start = half.indices.dropFirst(2).last { half[$0] != " " && half[($0 - 2)..<$0] == [" ", " "] } ?? 0
        let lines = WrappedText.lines(of: String(row.dropFirst(start)), width: width - start)
        return lines.enumerated().map { $0 == 0 ? row.prefix(start) + $1 : String(repeating: " ", count: start) + $1 }
    }

    private var blocks: String {
        switch self {
        case .profiles: Self.profilesText
        case .scenarios: Self.scenariosText
        case .faults: Self.faultsText
        case .rules: Self.rulesText
        case .expectations: Self.expectationsText
        }
    }

    private static var expectationsText: String {
        let examples = ClientExpectation.explainedExamples.map { "  \($0.text)\n      \($0.meaning)" }
        return """
            Expectations: a client's behaviour, as its packets and its processes show it

            They stand in "run --expect", in scenarios, and in tests:

            \(examples.joined(separator: "\n"))

            A label, 'LABEL', is a step of a scenario or a mark ("linkcond mark LABEL"): "of" it for times, "during"
            it for numbers. "to HOST:PORT" after the subject counts one peer only:

              at most 3 requests to api.test:80

            Requests are those of HTTP/1, HTTP/2 and gRPC; in TLS, SSLKEYLOGFILE has to name the file of the keys.
            Evidence that is missing makes a verdict inconclusive: the exit status is 0, and 1 with --strict.

              linkcond run 3g --expect 'leaves no connection open' -- ./test
            """
    }
}
