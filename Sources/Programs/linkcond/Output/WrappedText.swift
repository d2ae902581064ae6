// SPDX-License-Identifier: Apache-2.0

enum WrappedText {
    /// Breaks `text` into lines at spaces, but not after a number, whose unit follows; or within a word that is longer
    /// than `width`.
    ///
    /// - Parameter keepsClauses: whether to break after commas and semicolons where possible, as in a list of figures.
    static func lines(of text: String, width: Int, keepsClauses: Bool = false) -> [String] {
        var lines: [String] = []
        var line = ""
        func add(_ piece: String) {
            if !line.isEmpty, line.count + 1 + piece.count > width {
                lines.append(line)
                line = piece
            } else {
                line += line.isEmpty ? piece : " \(piece)"
            }
        }
        for clause in clauses(of: text) {
            if keepsClauses, clause.count <= width {
                add(clause)
                continue
            }
            for word in pieces(of: clause, width) {
                var rest = word
                while rest.count > width {
                    add(String(rest.prefix(width)))
                    rest = rest.dropFirst(width)
                }
                add(String(rest))
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// Splits the text into words, and numbers with the word that follows.
    private static func pieces(of text: String, _ width: Int) -> [Substring] {
        var pieces: [Substring] = []
        for word in text.split(separator: " ") {
            if let last = pieces.last, last.first?.isNumber == true, !last.contains(" "),
                last.count + 1 + word.count <= width
            {
                pieces[pieces.count - 1] = text[last.startIndex..<word.endIndex]
            } else {
                pieces.append(word)
            }
        }
        return pieces
    }

    /// Splits the text after each comma or semicolon that precedes a space.
    private static func clauses(of text: String) -> [String] {
        var clauses: [String] = []
        for word in text.split(separator: " ") {
            if let last = clauses.last, last.last != ",", last.last != ";" {
                clauses[clauses.count - 1] = "\(last) \(word)"
            } else {
                clauses.append(String(word))
            }
        }
        return clauses
    }
}
