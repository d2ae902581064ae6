// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension ClientExpectation {
    /// Parses a text such as `at most 6 connection attempts during 'in the lift'`. Labels are in single or double
    /// quotes.
    public init(parsing text: String) throws(UnreadableExpectation) {
        var parser = try ExpectationParser(text)
        self = try parser.expectation()
    }
}

/// Reads an expectation word by word.
struct ExpectationParser {
    private let text: String
    /// The tokens that have not been read.
    var tokens: ArraySlice<ExpectationToken>

    init(_ text: String) throws(UnreadableExpectation) {
        self.text = text
        tokens = try ExpectationToken.split(text)[...]
    }

    mutating func expectation() throws(UnreadableExpectation) -> ClientExpectation {
        let first = try word(of: Self.forms.map { $0.words[0] }, "an expectation such as \"completes within 30 s\"")
        let result = try rest(after: first)
        if let token = tokens.first {
            throw failure(at: token.range, "\(token.quoted) does not belong here", expected: "the end")
        }
        return result
    }

    /// A form, with the words with which its expectations start.
    private struct Form {
        let type: any ExpectationForm.Type
        let words: [String]

        init(_ type: any ExpectationForm.Type) {
            (self.type, words) = (type, type.phrase.split(separator: " ").map(String.init))
        }
    }

    private static let forms = ClientExpectation.forms.map(Form.init)

    private mutating func rest(after first: String) throws(UnreadableExpectation) -> ClientExpectation {
        let forms = Self.forms.filter { $0.words[0] == first }
        var (form, known) = (forms[0], 1)
        if forms.count > 1 {
            // The second word distinguishes forms with the same first word.
            let phrases = forms.map { "\"\($0.words.dropFirst().joined(separator: " "))\"" }
            let second = try word(of: forms.map { $0.words[1] }, phrases.joined(separator: " or "))
            (form, known) = (forms.first { $0.words[1] == second } ?? form, 2)
        }
        for next in form.words.dropFirst(known) { try words(next) }
        return try form.type.read(&self)
    }

    /// `[to HOST:PORT] within 10 s of 'label'`
    mutating func reaction(
        _ kind: (Duration) -> ClientExpectation.Kind
    ) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try peer()
        let limit = try limit()
        guard let label = try label(after: "of") else {
            throw failure("the label is missing", expected: "\"of\" and a step or a mark, such as of 'in the lift'")
        }
        return ClientExpectation(kind(limit), to: peer, label: label)
    }

    /// `[to HOST:PORT] within 500 ms [during 'label']`
    mutating func replacement(
        _ kind: (Duration) -> ClientExpectation.Kind
    ) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try peer()
        return ClientExpectation(kind(try limit()), to: peer, label: try label(after: "during"))
    }

    /// Parses `to HOST:PORT`; nil if the next word is not "to".
    mutating func peer() throws(UnreadableExpectation) -> Peer? {
        guard tokens.first?.text == "to", tokens.first?.isQuoted == false else { return nil }
        tokens.removeFirst()
        guard let token = tokens.first else { throw failure("the peer is missing", expected: "HOST:PORT") }
        guard let peer = Peer(parsing: token.text) else {
            throw failure(at: token.range, "\(token.quoted) is not a peer", expected: "HOST:PORT or [ADDRESS]:PORT")
        }
        tokens.removeFirst()
        return peer
    }

    /// `within 10 s`
    mutating func limit() throws(UnreadableExpectation) -> Duration {
        try words("within")
        return try time()
    }

    /// `10 s`
    mutating func time() throws(UnreadableExpectation) -> Duration {
        guard let number = tokens.popFirst() else { throw failure("the time is missing", expected: "such as \"10 s\"") }
        var text = number.text
        var range = number.range
        if text.allSatisfy({ $0.isNumber || $0 == "." }), let unit = tokens.first, !unit.isQuoted, unit.text != "of" {
            tokens.removeFirst()
            text += " \(unit.text)"
            range = range.lowerBound..<unit.range.upperBound
        }
        let hasUnit = text.contains { $0.isLetter }
        guard hasUnit, let limit = Duration(limit: text), limit > .zero else {
            let isNumber = !hasUnit && Double(text) != nil
            throw failure(
                at: range,
                isNumber ? "\(text) has no unit" : "\"\(text)\" is not a time",
                expected: "a time such as \"10 s\" or \"500 ms\"",
                suggestion: isNumber ? "\(text) s" : Duration.limit(nearestTo: text)
            )
        }
        return limit
    }

    /// Parses `of 'label'` or `during 'label'`; nil at the end of the text.
    mutating func label(after word: String) throws(UnreadableExpectation) -> String? {
        guard !tokens.isEmpty else { return nil }
        try words(word)
        guard let token = tokens.popFirst() else {
            throw failure("the label is missing", expected: "a step or a mark, such as 'in the lift'")
        }
        guard token.isQuoted else {
            let rest = ([token] + tokens).map(\.text).joined(separator: " ")
            throw failure(at: token.range, "the label is not quoted", expected: nil, suggestion: "\(word) '\(rest)'")
        }
        guard !token.text.isEmpty else { throw failure(at: token.range, "the label is empty") }
        return token.text
    }

    /// `200`
    mutating func number<Number: FixedWidthInteger>(
        in range: ClosedRange<Number>,
        _ expected: String
    ) throws(UnreadableExpectation) -> Number {
        guard let token = tokens.first else { throw failure("the number is missing", expected: expected) }
        guard let number = Number(token.text), range.contains(number) else {
            throw failure(at: token.range, "found \(token.quoted)", expected: expected)
        }
        tokens.removeFirst()
        return number
    }

    /// Reads exactly these words.
    mutating func words(_ expected: String...) throws(UnreadableExpectation) {
        for next in expected { _ = try word(of: [next], "\"\(next)\"") }
    }

    /// Reads one of these words.
    mutating func word(of known: [String], _ expected: String) throws(UnreadableExpectation) -> String {
        guard let token = tokens.first else {
            throw failure(text.allSatisfy(\.isWhitespace) ? "it is empty" : "it ends here", expected: expected)
        }
        guard !token.isQuoted, known.contains(token.text) else {
            var nearest = Spelling.nearest(to: token.text, among: known)
            if nearest == nil, token.range.lowerBound == 0 { nearest = ClientExpectation.example(like: text) }
            throw failure(
                at: token.range,
                "found \(token.quoted)",
                expected: nearest == nil ? expected : nil,
                suggestion: nearest
            )
        }
        tokens.removeFirst()
        return token.text
    }

    /// A failure at the end of the text.
    private func failure(_ problem: String, expected: String? = nil) -> UnreadableExpectation {
        failure(at: text.count..<text.count, problem, expected: expected)
    }

    func failure(
        at range: Range<Int>,
        _ problem: String,
        expected: String? = nil,
        suggestion: String? = nil
    ) -> UnreadableExpectation {
        UnreadableExpectation(text: text, range: range, problem: problem, expected: expected, suggestion: suggestion)
    }
}
