// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The parser's help of a subcommand, whose options stand in sections.
struct HelpText {
    /// What stands above the examples in the text of a subcommand.
    static let examplesTitle = "Examples:"
    private static let usageTitle = "USAGE: "
    /// The sections that come first; others keep their order after them.
    private static let order = ["ARGUMENTS", "OPTIONS", "LINK", "NETWORK", "JUDGE", "OUTPUT", "INTERFACE", "RARE"]
    /// The column at which the parser begins the explanation of an option.
    private static let column = 26

    private struct Section {
        let title: String
        /// The options, each with the lines that explain it.
        var entries: [[Substring]] = []
    }

    /// The overview and the usage.
    private var head: [Substring] = []
    private var sections: [Section] = []

    init(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if Self.isTitle(line) {
                sections.append(Section(title: String(line.dropLast())))
            } else if sections.isEmpty {
                head.append(line)
            } else if line.hasPrefix("  See '") {
                // The parser's own reference to the help of subcommands.
                continue
            } else if line.hasPrefix("  "), !line.hasPrefix("   ") {
                sections[sections.count - 1].entries.append([line])
            } else if let last = sections[sections.count - 1].entries.indices.last, !line.isEmpty {
                sections[sections.count - 1].entries[last].append(line)
            }
        }
    }

    private static func isTitle(_ line: Substring) -> Bool {
        line.last == ":" && line.first?.isUppercase == true && !line.contains { $0.isLowercase }
    }

    /// All of the help.
    var full: String {
        let known = Self.order.compactMap { title in sections.first { $0.title == title } }
        let others = sections.filter { !Self.order.contains($0.title) }
        let parts = (known + others).map { section in
            let title = section.title.replacing(" SUBCOMMANDS", with: "")
            return (["\(title):"] + section.entries.flatMap(Self.lines)).joined(separator: "\n")
        }
        let overview = head.prefix { !$0.hasPrefix(Self.usageTitle) }.split(separator: "")
            .map { Self.bare($0.joined(separator: "\n")) }
        // The exit status comes last, as in manual pages.
        let isStatus = { (paragraph: String) in paragraph.hasPrefix("Exit status: ") }
        return (overview.filter { !isStatus($0) } + [Self.usageTitle + usage] + parts + overview.filter(isStatus))
            .joined(separator: "\n\n")
    }

    /// The usage, which the parser does not wrap.
    private var usage: String {
        let lines = head.drop { !$0.hasPrefix(Self.usageTitle) }.prefix { !$0.isEmpty }
        let text = Self.bare(String(lines.joined(separator: " ").dropFirst(Self.usageTitle.count)))
        let indent = String(repeating: " ", count: Self.usageTitle.count)
        return WrappedText.lines(of: text, width: 80 - indent.count).joined(separator: "\n\(indent)")
    }

    /// The help in few lines: the examples, and of the options only those in `names`, or all if that is empty.
    func short(_ name: CommandName) -> String {
        let wanted = name.mainOptions
        let all = sections.flatMap(\.entries).map { (names: Self.names($0), lines: $0) }
        let entries =
            wanted.isEmpty
            ? all.filter { $0.names.allSatisfy { $0 != "--help" && $0 != "--version" } }
            : wanted.compactMap { option in all.first { $0.names.contains(Substring(option)) } }
        let examples = "\n" + Self.examples(of: name).map { "\n  \($0)" }.joined()
        let options = entries.isEmpty ? "" : "\n\n" + entries.flatMap { Self.lines($0.lines) }.joined(separator: "\n")
        return name.type.configuration.abstract + "\n\n" + "Usage: \(usage)"
            + examples + options
            + "\n\n\(wanted.isEmpty ? "More" : "All options"): linkcond \(name.rawValue) --help"
    }

    /// The examples of a subcommand, as they are typed.
    static func examples(of name: CommandName) -> [String] {
        let text = name.type.configuration.discussion
        guard let title = text.ranges(of: examplesTitle).last else { return [] }
        return text[title.upperBound...].split(separator: "\n").map { String($0.dropFirst(2)) }
    }

    /// The names of an option, or the metavariable of an argument.
    private static func names(_ entry: [Substring]) -> [Substring] {
        (entry.first ?? "").split(whereSeparator: { $0 == " " || $0 == "," })
    }

    /// The lines of an option, whose value stands without brackets.
    private static func lines(_ entry: [Substring]) -> [String] {
        guard let first = entry.first else { return [] }
        // A long name has a line of its own.
        let label = bare(String(first.prefix(column)))
        let rest = first.dropFirst(column)
        let isWhole = rest.isEmpty || first.prefix(column).last != " "
        let start = isWhole ? bare(String(first)) : label + String(repeating: " ", count: column - label.count) + rest
        return [start] + entry.dropFirst().map(String.init)
    }

    /// Metavariables as manuals have them: TIME for `<TIME>`.
    static func bare(_ text: String) -> String {
        text.replacing(/<([A-Za-z][A-Za-z=\/-]*)>/) { $0.1.uppercased() }
    }
}
