// SPDX-License-Identifier: Apache-2.0

/// One mistake in a profile or a scenario.
public struct ProfileIssue: Hashable, Sendable, CustomStringConvertible {
    /// The path of the value.
    public let path: JSONPath
    /// The position of the value in the text.
    public let position: JSON.Position
    /// What is wrong, without a full stop.
    public let problem: String
    /// What is valid there.
    public let expected: String?
    /// The valid spelling nearest to what was found.
    public let suggestion: String?

    /// Line, column, path, problem, expectation and suggestion on one line.
    public var description: String { "\(position.line):\(position.column): \(withoutPosition)" }

    /// The same without line and column, for text that is not in a file.
    public var withoutPosition: String {
        var text = "\(path): \(problem)"
        if let expected { text += "; expected \(expected)" }
        if let suggestion { text += "; did you mean \(JSON.quoted(suggestion))?" }
        return text
    }
}

/// All mistakes of one profile or scenario.
public struct InvalidProfile: Error, Hashable {
    /// The mistakes in the order of the text; never empty.
    public let issues: [ProfileIssue]

    /// Makes an error of `issues`, which must not be empty.
    package init(issues: [ProfileIssue]) {
        self.issues = issues
    }
}
