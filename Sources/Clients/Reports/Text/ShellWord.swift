// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The word, quoted for a shell if necessary.
    package var shellWord: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:=,%+@".contains($0)) }
        return isPlain
            ? self : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}

extension [String] {
    /// The words as a command line, quoted for a shell.
    package var shellLine: String { map(\.shellWord).joined(separator: " ") }
}
