// SPDX-License-Identifier: Apache-2.0

/// A page of HTML in one file that loads nothing; its Content Security Policy (CSP level 3) forbids it, too.
struct Page {
    /// The title, for tabs and bookmarks.
    let title: String
    /// The sections between the head and the foot.
    let sections: [Markup]
    /// The version of the program.
    let version: String

    var text: String {
        let head = Markup(
            "head",
            [
                Markup("meta", ["charset": "utf-8"]),
                Markup("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
                Markup("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                Markup("meta", ["name": "color-scheme", "content": "light dark"]),
                Markup("title", text: title.shortened(to: 200)),
                Markup("style", raw: PageStyle.text),
            ]
        )
        let foot = Markup("footer", [Markup("p", text: "Written by linkcond \(version).")])
        let main = Markup("main", sections)
        let body = Markup("body", [main, foot, Markup("script", raw: PageScript.text)])
        return "<!DOCTYPE html>\n" + Markup("html", ["lang": "en"], [head, body]).document + "\n"
    }

    /// The policy: no resource is loaded, and no script but the page's runs.
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src '\(PageScript.hash)'; base-uri 'none'; form-action 'none'"
}

/// Parts that are common to several pages.
enum PageParts {
    /// The head of a page: its title, a line with the command, and a sentence.
    static func header(_ title: String, _ line: [Markup], _ sentence: String? = nil) -> Markup {
        let sentences = sentence.map { [Markup("p", text: $0)] } ?? []
        return Markup("header", [name(title, "h1"), Markup("p", ["class": "command"], line)] + sentences)
    }

    static func section(_ title: String, _ parts: [Markup]) -> Markup {
        Markup("section", [Markup("h2", text: title)] + parts)
    }

    /// A label, and the command line that repeats a run or a search.
    static func repetition(_ label: String, _ words: [String], limit: Int = 4000) -> Markup {
        Markup("p", [Markup("span", text: label), command(words, limit: limit)])
    }

    static func remedy(_ remedy: String) -> Markup { Markup("p", text: "What usually helps: \(remedy).") }

    /// A verdict as a word with its colour.
    static func badge(_ word: String) -> Markup {
        let kind = word.lowercased().split(separator: " ").first.map(String.init) ?? ""
        let kinds = ["pass", "done", "fail", "failed", "error", "inconclusive", "skipped"]
        return Markup("span", ["class": "verdict " + (kinds.contains(kind) ? kind : "")], text: word)
    }

    /// A list of names with their values.
    static func facts(_ facts: [(name: String, value: String)]) -> Markup {
        Markup("dl", facts.flatMap { [Markup("dt", text: $0.name), Markup("dd", [name($0.value)])] })
    }

    /// A name that a user chose: shortened, and isolated, since its direction may differ (`bdi`).
    static func name(_ text: String, _ element: String = "bdi") -> Markup {
        Markup(element, text: text.shortened(to: 500))
    }

    /// A command line, cut in the middle if it has more characters than `limit`. Browsers would break lines between the
    /// dashes of an option.
    static func command(_ words: [String], limit: Int = 4000) -> Markup {
        var code = Markup("code")
        let line = words.shellLine.shortened(to: limit)
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { code.content.append(.text(" ")) }
            let isOption = word.hasPrefix("--") && word.count <= maximumOption
            let text = String(word)
            code.content.append(isOption ? .element(Markup("span", ["class": "option"], text: text)) : .text(text))
        }
        return code
    }

    /// The maximum number of characters of an option that is kept on one line.
    private static let maximumOption = 30

    /// A table that scrolls horizontally if it is too wide for the page.
    static func table(_ name: String, _ rows: [Markup]) -> Markup {
        let attributes: KeyValuePairs = ["class": "table", "tabindex": "0", "role": "region", "aria-label": name]
        return Markup("div", attributes, [Markup("table", rows)])
    }

    /// The header row of a table.
    static func heads(_ heads: [String]) -> Markup {
        Markup("tr", heads.map { Markup("th", ["scope": "col"], text: $0) })
    }

    /// A cell with a number or a time.
    static func figure(_ text: String?) -> Markup { Markup("td", ["class": "figure"], text: text ?? "–") }
}
