// SPDX-License-Identifier: Apache-2.0

enum WrappedText {
    /// The lines of `text`, broken at spaces, or anywhere in a word that is too long.
    ///
    /// - Parameter keepsClauses: whether to break after commas and semicolons where that fits, as in a list of figures.
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
            for word in clause.split(separator: " ") {
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

    /// The parts of the text that end with a comma or a semicolon before a space.
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
