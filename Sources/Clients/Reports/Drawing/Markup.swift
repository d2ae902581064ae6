// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// An element of HTML or SVG. Names of elements and attributes are constants of linkcond; values and text may come from
/// the network, and are escaped when they are written.
struct Markup {
    /// The content of an element.
    enum Content {
        case element(Markup)
        case text(String)
        /// A style sheet or a script of linkcond, which is written without escapes.
        case raw(String)
    }

    let name: String
    var attributes: [(name: String, value: String)]
    var content: [Content]

    /// An element with elements in it.
    init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ elements: [Markup] = []) {
        self.name = name
        self.attributes = attributes.map { (name: $0.key, value: $0.value) }
        content = elements.map { .element($0) }
    }

    /// An element with elements in it, without attributes.
    init(_ name: String, _ elements: [Markup]) { self.init(name, [:], elements) }

    /// An element with text in it.
    init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String) {
        self.init(name, attributes)
        content = [.text(text)]
    }

    /// An element with a style sheet or a script in it.
    init(_ name: String, raw: String) {
        self.init(name)
        content = [.raw(raw)]
    }

    /// Returns the element with a title, which browsers show when the pointer is on it; unchanged for nil.
    func titled(_ title: String?) -> Markup {
        var element = self
        if let title { element.append(Markup("title", text: title)) }
        return element
    }

    /// Returns the element with a CSS class.
    func of(_ kind: String) -> Markup {
        var element = self
        element.attributes.append((name: "class", value: kind))
        return element
    }

    mutating func append(_ element: Markup) { content.append(.element(element)) }

    /// The number of descendants with this name.
    func count(of name: String) -> Int {
        content.reduce(0) { sum, each in
            guard case .element(let element) = each else { return sum }
            return sum + (element.name == name ? 1 : 0) + element.count(of: name)
        }
    }

    /// The element as a document.
    var document: String {
        var text = ""
        write(to: &text)
        return text
    }

    private static let special = Array("&<>\"'".utf8)
    private static let void: Set<String> = ["meta"]

    private func write(to text: inout String) {
        text += "<" + name
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        text += ">"
        if Self.void.contains(name) { return }
        for each in content {
            switch each {
            case .element(let element): element.write(to: &text)
            case .text(let words): text += Self.escaped(words)
            case .raw(let constant): text += constant
            }
        }
        text += "</" + name + ">"
    }

    /// Escapes text so that it contains no markup, no invisible characters, and none that change the direction of the
    /// following text.
    static func escaped(_ text: String) -> String {
        // Most texts need no escapes.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && !Self.special.contains($0) }) { return text }
        var escaped = ""
        for scalar in text.visible.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String {
    /// The text with escapes for control characters, for characters that change the direction of text, and for
    /// characters that XML 1.0 does not allow.
    var visible: String {
        var visible = ""
        for scalar in escapingControls(keepingLines: true).unicodeScalars {
            if scalar.properties.isNoncharacterCodePoint {
                visible += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
        return visible
    }

    /// The text, cut in the middle if it has more characters than `limit`.
    func shortened(to limit: Int) -> String {
        guard unicodeScalars.count > limit else { return self }
        let half = (limit - 1) / 2
        let (head, tail) = (unicodeScalars.prefix(limit - 1 - half), unicodeScalars.suffix(half))
        return String(String.UnicodeScalarView(head)) + "…" + String(String.UnicodeScalarView(tail))
    }
}
