// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The word, quoted for a shell if necessary. A word with control characters is quoted as `$'...'`, which bash and
    /// zsh read: as they are, they would not survive a terminal or a log.
    package var shellWord: String {
        guard unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            return "$'\(unicodeScalars.map(\.ansiQuoted).joined())'"
        }
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:=,%+@".contains($0)) }
        return isPlain
            ? self : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}

extension Unicode.Scalar {
    /// The character within `$'...'` of bash(1).
    fileprivate var ansiQuoted: String {
        switch self {
        case "'", "\\": "\\\(self)"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case _ where value < 0x20 || value == 0x7F:
            "\\x" + (value < 0x10 ? "0" : "") + String(value, radix: 16)
        default: String(self)
        }
    }
}

extension [String] {
    /// The words as a command line, quoted for a shell.
    package var shellLine: String { map(\.shellWord).joined(separator: " ") }
}
