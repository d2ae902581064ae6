// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Parses the countable thing and the limit of "at most".
extension ExpectationParser {
    /// `3 requests [to HOST:PORT] [during 'label']`
    mutating func count() throws(UnreadableExpectation) -> ClientExpectation {
        if let limit = try byteLimit() { return try counted(.bytes, atMost: limit) }
        let limit: Int = try number(in: 0...Int.max, "a whole number")
        let noun = tokens.first
        let first = try self.word(
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
            } else if let noun, next == nil || next == "to" || next == "during" || next == "at" {
                throw failure(at: noun.range, "found \(noun.quoted)", suggestion: "connections")
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

    /// Parses `500 kB` or `1.5MB`; nil if the next words are anything else.
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
}
