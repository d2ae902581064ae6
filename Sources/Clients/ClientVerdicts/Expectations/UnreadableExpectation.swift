// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The reason why a text is not an expectation.
public struct UnreadableExpectation: Error, Hashable, Sendable {
    /// The text.
    public let text: String
    /// The characters of it that are wrong; empty at the end if something is missing.
    public let range: Range<Int>
    /// The problem with them, such as `unknown word`.
    public let problem: String
    /// The words that are valid there.
    public let expected: String?
    /// The valid spelling nearest to what was found.
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
    /// The text, a line that points at the place, and the problem.
    public var description: String {
        let line = String(text.map { $0.isWhitespace ? " " : $0 })
        let marks = String(repeating: "^", count: max(range.count, 1))
        return "\(line)\n\(String(repeating: " ", count: range.lowerBound))\(marks) \(summary)"
    }
}
