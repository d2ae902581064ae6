// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension ClientExpectation {
    /// Parses a text such as `at most 6 connection attempts during 'in the lift'`. Labels are quoted by ' or ".
    public init(parsing text: String) throws(UnreadableExpectation) {
        var parser = try ExpectationParser(text)
        self = try parser.expectation()
    }
}

/// Reads an expectation word by word.
struct ExpectationParser {
    private let text: String
    private var tokens: ArraySlice<ExpectationToken>

    init(_ text: String) throws(UnreadableExpectation) {
        self.text = text
        tokens = try ExpectationToken.split(text)[...]
    }

    /// How expectations begin, with what the first word expects next.
    private static let beginnings = [
        "completes", "exits", "first", "times", "closes", "recovers", "at", "attempts", "leaves", "sends", "monitor",
        "uses", "asks", "falls", "resumes", "migrates",
    ]

    mutating func expectation() throws(UnreadableExpectation) -> ClientExpectation {
        let first = try word(of: Self.beginnings, "an expectation such as \"completes within 30 s\"")
        let result = try rest(after: first)
        if let token = tokens.first {
            throw failure(at: token.range, "\(token.quoted) does not belong here", expected: "the end")
        }
        return result
    }

    private mutating func rest(after first: String) throws(UnreadableExpectation) -> ClientExpectation {
        switch first {
        case "completes": return ClientExpectation(.completes(within: try limit()))
        case "exits":
            try words("with")
            return ClientExpectation(.exits(with: try number(in: 0...255, "an exit status from 0 to 255")))
        case "first":
            try words("byte")
            let peer = try peer()
            return ClientExpectation(.firstByte(within: try limit()), to: peer, label: try label(after: "of"))
        case "times":
            try words("out")
            return try reaction { .timesOut(within: $0) }
        case "closes": return try reaction { .closes(within: $0) }
        case "recovers": return try reaction { .recovers(within: $0) }
        case "at": return try atMost()
        case "attempts":
            let peer = try peer()
            try words("back", "off")
            return ClientExpectation(.attemptsBackOff, to: peer, label: try label(after: "during"))
        case "leaves":
            try words("no", "connection", "open")
            return ClientExpectation(.leavesNoConnectionOpen)
        case "sends":
            if try word(of: ["no", "keep-alives"], "\"no request twice\" or \"keep-alives\"") == "keep-alives" {
                return try keepAlives()
            }
            try words("request", "twice")
            return ClientExpectation(.sendsNoRequestTwice)
        case "monitor":
            try words("agrees")
            return ClientExpectation(.monitorAgrees)
        default: return try onBrokenNetworks(after: first)
        }
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

    private mutating func atMost() throws(UnreadableExpectation) -> ClientExpectation {
        try words("most")
        if let limit = try byteLimit() { return try counted(.bytes, atMost: limit) }
        let limit: Int = try number(in: 0...Int.max, "a whole number")
        let first = try word(
            of: [
                "connections", "connection", "requests", "request", "DNS", "retransmissions", "retransmission", "bytes",
                "byte",
            ],
            "what to count, such as \"connection attempts\""
        )
        let what: ClientExpectation.Countable
        switch first {
        case "connection":
            // "at most 1 connection" is one connection.
            let next = tokens.first?.text
            if next == "attempts" || next == "attempt" {
                tokens.removeFirst()
                what = .connectionAttempts
            } else if limit == 1, next == nil || next == "to" || next == "during" || next == "at" {
                what = .connections
            } else {
                try words("attempts")
                what = .connectionAttempts
            }
        case "connections": what = .connections
        case "requests", "request": what = .requests
        case "DNS":
            _ = try word(of: ["queries", "query"], "\"queries\"")
            what = .dnsQueries
        case "bytes", "byte": what = .bytes
        default: what = .retransmissions
        }
        return try counted(what, atMost: limit)
    }

    /// `[at a time] [to HOST:PORT] [at a time] [during 'label']`
    private mutating func counted(
        _ what: ClientExpectation.Countable,
        atMost limit: Int
    ) throws(UnreadableExpectation) -> ClientExpectation {
        var what = what
        if what == .connections, try isAtATime() { what = .connectionsAtATime }
        let peer = try peer()
        if what == .connections, try isAtATime() { what = .connectionsAtATime }
        return ClientExpectation(.atMost(limit, what), to: peer, label: try label(after: "during"))
    }

    private mutating func isAtATime() throws(UnreadableExpectation) -> Bool {
        guard tokens.first?.text == "at", tokens.first?.isQuoted == false else { return false }
        try words("at", "a", "time")
        return true
    }

    /// `500 kB` or `1.5MB`, if that comes next.
    private mutating func byteLimit() throws(UnreadableExpectation) -> Int? {
        guard let number = tokens.first, !number.isQuoted else { return nil }
        let unit = tokens.dropFirst().first
        let isOneWord = number.text.contains(where: \.isLetter)
        let spelling = isOneWord ? String(number.text.drop { !$0.isLetter }) : unit?.text ?? ""
        guard let known = ByteCount.units.first(where: { $0.lowercased() == spelling.lowercased() }),
            isOneWord || Int(number.text) == nil || !["bytes", "byte"].contains(spelling)
        else { return nil }
        let text = isOneWord ? number.text : "\(number.text) \(spelling)"
        guard let limit = ByteCount(parsing: text) else {
            let amount = number.text.prefix { !$0.isLetter }
            throw failure(
                at: number.range.lowerBound..<(isOneWord ? number : unit ?? number).range.upperBound,
                "\"\(text)\" is not a number of bytes",
                expected: "such as \"500 kB\"",
                suggestion: ByteCount(parsing: "\(amount) \(known)") == nil ? nil : "\(amount) \(known)"
            )
        }
        tokens.removeFirst(isOneWord ? 1 : 2)
        return Int(clamping: limit.bytes)
    }

    /// `to HOST:PORT`, if that comes next.
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
                suggestion: isNumber ? "\(text) s" : nil
            )
        }
        return limit
    }

    /// `of 'label'` or `during 'label'`, if that comes next.
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

    private mutating func number<Number: FixedWidthInteger>(
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

    /// Takes exactly these words.
    mutating func words(_ expected: String...) throws(UnreadableExpectation) {
        for next in expected { _ = try word(of: [next], "\"\(next)\"") }
    }

    /// Takes one of these words.
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

    private func failure(
        at range: Range<Int>,
        _ problem: String,
        expected: String? = nil,
        suggestion: String? = nil
    ) -> UnreadableExpectation {
        UnreadableExpectation(text: text, range: range, problem: problem, expected: expected, suggestion: suggestion)
    }
}
