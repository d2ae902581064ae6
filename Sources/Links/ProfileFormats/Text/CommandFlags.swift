// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The flags of a command line (`--name=value`, `--name value`, `-name value`), and its other words.
struct CommandFlags {
    private(set) var flags: [(name: String, field: Field)] = []
    private(set) var words: [String] = []

    /// Parses a shell command line.
    ///
    /// - Parameter switches: the flags that have no value.
    init(_ text: String, program: String, switches: Set<String>) throws(ImportError) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingSpace() }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        // A line that ends with a backslash continues on the next one.
        let line = lines.map { $0.hasSuffix("\\") ? $0.dropLast() : $0[...] }.joined(separator: " ")
        var rest = line.split(whereSeparator: \.isWhitespace).map(Self.unquoted)[...]
        if rest.first == "$" || rest.first == "sudo" { rest.removeFirst() }
        if rest.first == program { rest.removeFirst() }
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1 else {
                words.append(word)
                continue
            }
            let body = word.drop { $0 == "-" }
            let name = String(body.prefix { $0 != "=" })
            guard !flags.contains(where: { $0.name == name }) else {
                throw .invalid(location: "--\(name)", reason: "is given twice")
            }
            if body.count > name.count {
                flags.append((name, Field(body.dropFirst(name.count + 1), at: "--\(name)")))
            } else if switches.contains(name) {
                flags.append((name, Field("true", at: "--\(name)")))
            } else {
                guard let value = rest.popFirst() else { throw .invalid(location: "--\(name)", reason: "has no value") }
                flags.append((name, Field(value, at: "--\(name)")))
            }
        }
    }

    private static func unquoted(_ word: Substring) -> String {
        guard let mark = word.first, mark == "'" || mark == "\"", word.last == mark, word.count > 1 else {
            return String(word)
        }
        return String(word.dropFirst().dropLast())
    }

    subscript(name: String) -> Field? { flags.first { $0.name == name }?.field }
}
