// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether the text contains a character that controls a terminal or changes the direction of text.
    var containsControlCharacter: Bool {
        isNotPlain && unicodeScalars.contains(where: \.isTerminalControl)
    }

    /// Whether the text has bytes other than printable ASCII. Checked first: most texts have none, and Unicode tables
    /// are slow.
    private var isNotPlain: Bool { utf8.contains { $0 < 0x20 || $0 > 0x7E } }

    /// The text with JSON escapes such as `\u001b` instead of characters that control a terminal or change the
    /// direction of text. Escaping a text again changes nothing.
    ///
    /// - Parameter keepingLines: whether to keep line feeds and tabs.
    package func escapingControls(keepingLines: Bool = false) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isTerminalControl && !(keepingLines && (scalar == "\n" || scalar == "\t"))
        }
        guard isNotPlain, unicodeScalars.contains(where: isEscaped) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            if isEscaped(scalar) { escaped += scalar.jsonEscape } else { escaped.unicodeScalars.append(scalar) }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls a terminal or changes the direction of text. All such scalars are below U+10000.
    var isTerminalControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }

    /// The JSON escape of the scalar, which must be below U+10000.
    var jsonEscape: String {
        let code = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - code.count) + code
    }
}
