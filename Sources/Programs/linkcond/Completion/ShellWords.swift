// SPDX-License-Identifier: Apache-2.0

/// The words of an unfinished command line of bash.
struct ShellWords {
    /// The words without their quotes; the last one is where the cursor stands, and may be empty.
    private(set) var words: [String] = []
    /// The last word as it was typed.
    private(set) var typed = ""
    /// Whether a quote of the last word is open.
    private(set) var isQuoted = false

    init(_ line: String) {
        var (word, hasWord, quote, isEscaped) = ("", false, Character?.none, false)
        for character in line {
            typed.append(character)
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                (isEscaped, hasWord) = (true, true)
            } else if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, hasWord) = (character, true)
            } else if character == " " || character == "\t" {
                if hasWord { words.append(word) }
                (word, hasWord, typed) = ("", false, "")
            } else {
                word.append(character)
                hasWord = true
            }
        }
        words.append(word)
        isQuoted = quote != nil
    }

    /// The part of a candidate that replaces the end of the line.
    ///
    /// - Parameter text: that end, as the shell splits the line: it also splits at "=" and ":", and after a quote.
    func insertion(_ candidate: String, for text: String) -> String {
        let kept = typed.hasSuffix(text) ? String(typed.dropLast(text.count)) : typed
        let rest = String(candidate.dropFirst(ShellWords(kept).words.last?.count ?? 0))
        return isQuoted ? rest : Self.escaped(rest)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            let isPlain = character.isLetter || character.isNumber || "-_./%+:=,@^".contains(character)
            result += isPlain ? "\(character)" : "\\\(character)"
        }
    }
}
