// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether the text contains a character that controls a terminal or changes the direction of text.
    var containsControlCharacter: Bool {
        unicodeScalars.contains(where: \.isTerminalControl)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls a terminal or changes the direction of text. All such scalars are below U+10000.
    var isTerminalControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
