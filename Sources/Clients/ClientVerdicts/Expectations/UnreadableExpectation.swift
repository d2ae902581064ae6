// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The reason why a text is not an expectation.
public struct UnreadableExpectation: Error, Hashable, Sendable {
    /// The text that could not be parsed.
    public let text: String
    /// The range of the wrong characters in the text; empty, at the text's end, if something is missing.
    public let range: Range<Int>
    /// The problem with the characters at `range`, such as `unknown word`.
    public let problem: String
    /// The words that are valid at `range`; nil if they are not listed.
    public let expected: String?
    /// The valid spelling nearest to the wrong one; nil if none is near.
    public let suggestion: String?

    /// The problem in one line, without the text.
    public var summary: String {
        var line = problem
        if let expected { line += "; expected \(expected)" }
        if let suggestion { line += "; did you mean \"\(suggestion)\"?" }
        return line
    }
}

extension UnreadableExpectation: CustomStringConvertible {
    /// The text, a line that points at `range`, and the problem.
    public var description: String {
        let line = String(text.map { $0.isWhitespace ? " " : $0 })
        let marks = String(repeating: "^", count: max(range.count, 1))
        return "\(line)\n\(String(repeating: " ", count: range.lowerBound))\(marks) \(summary)"
    }
}
