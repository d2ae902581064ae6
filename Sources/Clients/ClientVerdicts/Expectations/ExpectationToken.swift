// SPDX-License-Identifier: Apache-2.0

/// A word of an expectation, or a quoted label.
struct ExpectationToken {
    /// The word, or the label without its quotes.
    var text: String
    /// The range of the token's characters in the whole text, including quotes.
    var range: Range<Int>
    var isQuoted: Bool

    /// The token for messages, shortened if it is long.
    var quoted: String {
        let shown = text.count > 40 ? "\(text.prefix(37))..." : text
        return isQuoted ? "'\(shown)'" : "\"\(shown)\""
    }

    /// Splits a text at white space that is not within quotes.
    static func split(_ text: String) throws(UnreadableExpectation) -> [ExpectationToken] {
        var tokens: [ExpectationToken] = []
        let characters = Array(text)
        var index = 0
        while index < characters.count {
            let start = index
            let character = characters[index]
            if character.isWhitespace {
                index += 1
            } else if character == "'" || character == "\"" {
                guard let end = characters[(start + 1)...].firstIndex(of: character) else {
                    throw UnreadableExpectation(
                        text: text,
                        range: start..<start + 1,
                        problem: "the quote is not closed",
                        expected: nil,
                        suggestion: nil
                    )
                }
                index = end + 1
                tokens.append(Self(text: String(characters[start + 1..<end]), range: start..<index, isQuoted: true))
            } else {
                while index < characters.count, !characters[index].isWhitespace { index += 1 }
                tokens.append(Self(text: String(characters[start..<index]), range: start..<index, isQuoted: false))
            }
        }
        return tokens
    }
}
