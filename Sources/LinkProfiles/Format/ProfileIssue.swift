// SPDX-License-Identifier: Apache-2.0

/// One mistake in a profile.
public struct ProfileIssue: Hashable, Sendable, CustomStringConvertible {
    /// Which value is meant.
    public let path: JSONPath
    /// Where it stands in the text.
    public let position: JSON.Position
    /// What is wrong, as a sentence without its full stop.
    public let problem: String
    /// What would have been right.
    public let expected: String?
    /// The nearest right spelling of what was found.
    public let suggestion: String?

    /// Line, column, path, problem, expectation and suggestion on one line.
    public var description: String { "\(position.line):\(position.column): \(withoutPosition)" }

    /// The same without line and column, for what was not read from a file.
    public var withoutPosition: String {
        var text = "\(path): \(problem)"
        if let expected { text += "; expected \(expected)" }
        if let suggestion { text += "; did you mean \(JSON.quoted(suggestion))?" }
        return text
    }
}

/// All mistakes of one profile's text.
public struct InvalidProfile: Error, Hashable {
    /// The mistakes in the order of the text; never empty.
    public let issues: [ProfileIssue]
}
