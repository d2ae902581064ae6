// SPDX-License-Identifier: Apache-2.0

/// A page of HTML in one file that asks for nothing from anywhere: its policy forbids that, too (CSP level 3).
struct Page {
    /// The title, for tabs and bookmarks.
    let title: String
    /// What stands between the head and the foot.
    let sections: [Markup]
    /// The version of the program.
    let version: String

    /// The page as text.
    var text: String {
        let head = Markup(
            "head",
            [:],
            [
                Markup("meta", ["charset": "utf-8"]),
                Markup("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
                Markup("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                Markup("meta", ["name": "color-scheme", "content": "light dark"]),
                Markup("title", text: title.shortened(to: 200)),
                Markup("style", raw: PageStyle.text),
            ]
        )
        let foot = Markup("footer", [:], [Markup("p", text: "Written by linkcond \(version).")])
        let main = Markup("main", [:], sections)
        let body = Markup("body", [:], [main, foot, Markup("script", raw: PageScript.text)])
        return "<!DOCTYPE html>\n" + Markup("html", ["lang": "en"], [head, body]).document + "\n"
    }

    /// Nothing is loaded, and no script runs but the page's own.
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src '\(PageScript.hash)'; base-uri 'none'; form-action 'none'"
}

/// Parts that several pages have.
enum PageParts {
    /// A verdict as a word with its colour.
    static func badge(_ word: String) -> Markup {
        let kind = word.lowercased().split(separator: " ").first.map(String.init) ?? ""
        let kinds = ["pass", "done", "fail", "failed", "error", "inconclusive", "skipped"]
        return Markup("span", ["class": "verdict " + (kinds.contains(kind) ? kind : "")], text: word)
    }

    /// Names with their values.
    static func facts(_ facts: [(name: String, value: String)]) -> Markup {
        Markup("dl", [:], facts.flatMap { [Markup("dt", text: $0.name), value($0.value)] })
    }

    /// Whatever a user has named: of unknown length and direction.
    static func name(_ text: String, _ element: String = "bdi") -> Markup {
        Markup(element, text: text.shortened(to: 500))
    }

    /// A command line, cut in the middle if it has more characters than `limit`.
    static func command(_ words: [String], limit: Int = 4000) -> Markup {
        Markup("code", text: words.map(\.shellWord).joined(separator: " ").shortened(to: limit))
    }

    /// A table that scrolls by itself where it is too wide.
    static func table(_ name: String, _ rows: [Markup]) -> Markup {
        Markup(
            "div",
            ["class": "table", "tabindex": "0", "role": "region", "aria-label": name],
            [Markup("table", [:], rows)]
        )
    }

    private static func value(_ text: String) -> Markup { Markup("dd", [:], [name(text)]) }
}
