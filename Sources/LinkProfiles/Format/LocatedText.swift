// SPDX-License-Identifier: Apache-2.0

/// A string of a JSON text with its place there, so that a mistake in it can be reported at that place.
public struct LocatedText: Hashable, Sendable {
    /// The string.
    public let text: String
    /// The path of the string.
    public let path: JSONPath
    /// The position of the string's opening quotation mark.
    public let position: JSON.Position

    /// Makes a text with its place.
    public init(_ text: String, path: JSONPath, position: JSON.Position) {
        (self.text, self.path, self.position) = (text, path, position)
    }

    /// Describes a mistake in the string.
    public func issue(_ problem: String, expected: String? = nil, suggestion: String? = nil) -> ProfileIssue {
        ProfileIssue(path: path, position: position, problem: problem, expected: expected, suggestion: suggestion)
    }
}

extension LocatedText: ExpressibleByStringLiteral {
    /// A text that was not read from a file.
    public init(stringLiteral text: String) {
        self.init(text, path: .root, position: JSON.Position(line: 1, column: 1))
    }
}
