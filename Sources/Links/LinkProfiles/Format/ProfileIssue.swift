// SPDX-License-Identifier: Apache-2.0

/// One mistake in a profile or a scenario.
public struct ProfileIssue: Hashable, Sendable, CustomStringConvertible {
    /// The path of the value.
    public let path: JSONPath
    /// The position of the value in the text.
    public let position: JSON.Position
    /// The problem, without a full stop.
    public let problem: String
    /// The values that are valid at this path.
    public internal(set) var expected: String?
    /// The valid spelling nearest to the value or key that was found.
    public internal(set) var suggestion: String?

    /// Line, column, path, problem, expectation and suggestion on one line.
    public var description: String { "\(position.line):\(position.column): \(withoutPosition)" }

    /// The issue without line and column, for text that is not in a file.
    public var withoutPosition: String {
        var text = "\(path): \(problem)"
        if let expected { text += "; expected \(expected)" }
        if let suggestion { text += "; did you mean \(JSON.quoted(suggestion))?" }
        return text
    }
}

/// The mistakes of one profile or scenario.
public struct InvalidProfile: Error, Hashable {
    /// The mistakes in the order of the text; never empty.
    public let issues: [ProfileIssue]

    /// Makes an error of `issues`, which must not be empty.
    package init(issues: [ProfileIssue]) {
        self.issues = issues
    }
}

/// A string of a JSON text with its path and position, so that a mistake in the string can be reported there.
public struct LocatedText: Hashable, Sendable {
    /// The string.
    public let text: String
    /// The path of the string.
    public let path: JSONPath
    /// The position of the string's opening quotation mark.
    public let position: JSON.Position

    /// Makes a text with its path and position.
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
        self.init(text, path: .root, position: .start)
    }
}
