// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether the text holds what moves a terminal's cursor, or hides or reverses what is printed.
    var holdsControlCharacter: Bool {
        unicodeScalars.contains(where: \.isTerminalControl)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar moves a terminal's cursor, or hides or reverses what is printed. None is above U+FFFF.
    var isTerminalControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
