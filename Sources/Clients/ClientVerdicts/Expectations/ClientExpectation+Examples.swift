// SPDX-License-Identifier: Apache-2.0

extension ClientExpectation {
    /// Examples of each form of expectation, with their meaning.
    package static let explainedExamples = forms.flatMap { $0.examples }

    /// The examples as text.
    package static let examples = explainedExamples.map(\.text)

    /// The example that shares the most words with a text; nil if none shares any.
    static func example(like text: String) -> String? {
        let words = Set(text.lowercased().split(whereSeparator: \.isWhitespace))
        let ranked = examples.map { example in
            (example, shared: example.lowercased().split(separator: " ").count { words.contains($0) })
        }
        return ranked.max { $0.shared < $1.shared }.flatMap { $0.shared > 0 ? $0.0 : nil }
    }
}
