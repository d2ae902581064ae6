// SPDX-License-Identifier: Apache-2.0

/// The targets of a package, as its manifest writes them down: a list of calls with literal arguments.
struct Manifest {
    /// A target.
    struct Target {
        /// "target", "executableTarget", "systemLibrary", "testTarget", ...
        var kind: String
        var name: String
        var path: String
        /// The targets of the same package that it uses.
        var dependencies: [String]
    }

    let targets: [Target]

    /// The targets below Sources.
    var sources: [Target] { targets.filter { $0.path.hasPrefix("Sources/") } }

    /// Reads a manifest.
    ///
    /// - Throws: if it has no list of targets, or a target without a name.
    init(_ text: String) throws {
        let text = Self.withoutComments(text)
        guard let call = text.firstRange(of: "Package("), let package = Self.inner(text[call.upperBound...]),
            let list = Self.argument("targets", of: package), list.hasPrefix("["),
            let elements = Self.inner(list.dropFirst())
        else { throw Malformed(description: "there is no list of targets") }
        targets = try Self.elements(of: elements).map(Self.target)
    }

    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    private static func target(_ text: Substring) throws -> Target {
        guard let parenthesis = text.firstIndex(of: "("), let arguments = inner(text[parenthesis...].dropFirst()),
            let name = argument("name", of: arguments).flatMap(literal)
        else { throw Malformed(description: "a target has no name: \(text)") }
        let kind = String(text[..<parenthesis].drop { $0 == "." })
        let folder = kind == "testTarget" ? "Tests" : "Sources"
        let list = argument("dependencies", of: arguments).flatMap { inner($0.dropFirst()) } ?? ""
        return Target(
            kind: kind,
            name: name,
            path: argument("path", of: arguments).flatMap(literal) ?? "\(folder)/\(name)",
            dependencies: elements(of: list).compactMap(dependency)
        )
    }

    /// A target of this package: `"Name"`, `.target(name: "Name")` or `.byName(name: "Name")`.
    private static func dependency(_ text: Substring) -> String? {
        if let name = literal(text) { return name }
        guard text.hasPrefix(".target("), let arguments = inner(text.dropFirst(".target(".count)) else { return nil }
        return argument("name", of: arguments).flatMap(literal)
    }

    private static func literal(_ text: Substring) -> String? {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        let word = text.dropFirst().dropLast()
        return word.contains("\"") ? nil : String(word)
    }

    private static func argument(_ label: String, of arguments: Substring) -> Substring? {
        elements(of: arguments).first { $0.hasPrefix("\(label):") }?.dropFirst(label.count + 1).drop(
            while: \.isWhitespace
        )
    }

    /// What stands before the bracket that closes the one before `text`.
    private static func inner(_ text: Substring) -> Substring? {
        var depth = 0
        var isQuoted = false
        for index in text.indices {
            switch text[index] {
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted, "[" where !isQuoted: depth += 1
            case ")" where !isQuoted, "]" where !isQuoted:
                if depth == 0 { return text[..<index] }
                depth -= 1
            default: break
            }
        }
        return nil
    }

    /// What commas separate outside of brackets and quotes.
    private static func elements(of text: Substring) -> [Substring] {
        var depth = 0
        var isQuoted = false
        return text.split { character in
            switch character {
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted, "[" where !isQuoted: depth += 1
            case ")" where !isQuoted, "]" where !isQuoted: depth -= 1
            default: break
            }
            return character == "," && depth == 0 && !isQuoted
        }
        .map { element in
            let start = element.drop(while: \.isWhitespace)
            return start.prefix(
                upTo: (start.lastIndex { !$0.isWhitespace }).map(start.index(after:)) ?? start.startIndex
            )
        }
        .filter { !$0.isEmpty }
    }

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                // A "//" after an even number of quotes is no part of a literal, such as an address.
                for range in line.ranges(of: "//") where line[..<range.lowerBound].count(where: { $0 == "\"" }) % 2 == 0
                {
                    return line[..<range.lowerBound]
                }
                return line
            }
            .joined(separator: "\n")
    }
}
