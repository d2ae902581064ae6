// SPDX-License-Identifier: Apache-2.0

/// Messages of the parser, and of `ValidationError`, in the form of this program's messages.
enum ParserMessage {
    /// The message without the capital letter at its start and the period at its end.
    static func plain(_ text: String) -> String {
        var text = HelpText.bare(text)
        if text.last == "." { text.removeLast() }
        guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
