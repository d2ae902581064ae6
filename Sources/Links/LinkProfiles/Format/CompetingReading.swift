// SPDX-License-Identifier: Apache-2.0

extension NodeReader {
    private static let kinds = ["bulk", "video", "call", "web"]
    private static let mostOfOneKind = 100
    private static let mostEntries = 32
    private static let mostConnections = 100
    private static let fastestCall = BitRate(bitsPerSecond: 100_000_000)
    private static let mostBytes: UInt64 = 1_000_000_000
    private static let example =
        "{\"bulk\": 1}, {\"video\": \"8 Mbit/s\"}, {\"call\": \"100 kbit/s\"} or {\"web\": \"3 pages a minute\"}"

    private static let words = "\"bulk\", \"video 8 Mbit/s\", \"call 100 kbit/s\" or \"web 3 pages a minute\""

    /// Reads the traffic of others: an object, an array of objects, or, as on a command line, a word such as "bulk".
    mutating func competing(_ node: Node) -> [CompetingFlows]? {
        switch node.json.value {
        case .string(let text): return competing(words: text, at: node)
        case .object: return competingFlows(node).map { [$0] }
        default:
            return elements(of: node, atMost: Self.mostEntries, what: "competing traffic", expected: Self.example)?
                .compactMap { competingFlows($0) }
        }
    }

    /// Reads "bulk", "2 bulk", "video 8 Mbit/s", "call 100 kbit/s", "web 3 pages a minute", joined by "+".
    mutating func competing(words text: String, at node: Node) -> [CompetingFlows]? {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count <= Self.mostEntries else {
            report("\(parts.count) competing traffic", at: node, expected: "at most \(Self.mostEntries)")
            return nil
        }
        var result: [CompetingFlows] = []
        for part in parts {
            guard let flows = competingFlows(words: String(part), at: node) else { return nil }
            result.append(flows)
        }
        return result
    }

    private mutating func competingFlows(words text: String, at node: Node) -> CompetingFlows? {
        var words = text.split(separator: " ").map(String.init)
        var count: Int?
        if let number = words.first.flatMap({ Int($0) }) {
            count = number
            words.removeFirst()
        }
        let kind = words.first ?? ""
        let rest = words.dropFirst().joined(separator: " ")
        guard Self.kinds.contains(kind), (kind == "bulk") == rest.isEmpty else {
            report(
                "found \(JSON.quoted(text.shortened))",
                at: node,
                expected: Self.words,
                suggestion: Self.kinds.contains(kind) ? nil : Spelling.nearest(to: kind, among: Self.kinds)
            )
            return nil
        }
        let value: JSON? = kind == "bulk" ? .number(count ?? 1) : .text(rest)
        let members: [(String, JSON?)] = [(kind, value), ("count", kind == "bulk" ? nil : .number(count))]
        // The words have no members: mistakes in them are mistakes of the text.
        var reader = NodeReader(isStrict: isStrict)
        let flows = reader.competingFlows(Node(json: JSON(members: members)))
        for issue in reader.issues {
            report(issue.problem, at: node, expected: issue.expected, suggestion: issue.suggestion)
        }
        return reader.issues.isEmpty ? flows : nil
    }

    private mutating func competingFlows(_ node: Node) -> CompetingFlows? {
        let options = ["count", "roundTrip", "start", "end", "congestion", "page", "connections"]
        guard isObject(node, keys: Self.kinds + options, what: Self.example) else { return nil }
        let given = Self.kinds.filter { node[$0] != nil }
        guard given.count == 1, let member = node[given[0]] else {
            // `isObject` has reported unknown keys already.
            if !given.isEmpty || node.members.allSatisfy({ options.contains($0.name) }) {
                let expected = given.isEmpty ? Self.example : "one kind; an array holds several"
                report(given.isEmpty ? "no kind of traffic" : "several kinds of traffic", at: node, expected: expected)
            }
            return nil
        }
        guard let (kind, own) = kind(given[0], member) else { return nil }
        var flows = CompetingFlows(kind)
        if own != nil, let count = node["count"] {
            report("bulk has its number already", at: count, expected: "the number in \"bulk\" alone")
        }
        flows.count = own ?? optional("count", of: node) { $0.integer($1, in: 1...Self.mostOfOneKind) } ?? 1
        flows.roundTrip = optional("roundTrip", of: node) { $0.duration($1) }
        flows.start = optional("start", of: node) { $0.duration($1, Duration.wait) }
        flows.end = optional("end", of: node) { $0.duration($1, Duration.wait) }
        flows.congestion = optional("congestion", of: node) { $0.choice($1) } ?? .cubic
        flows.page = optional("page", of: node) { $0.page($1) }
        flows.connections = optional("connections", of: node) { $0.integer($1, in: 1...Self.mostConnections) }
        if let end = flows.end, let member = node["end"], end <= flows.start ?? .zero {
            report("the traffic ends at \(end.text), not after its start", at: member)
        }
        if flows.roundTrip == .zero, let member = node["roundTrip"] {
            report("a round trip of zero", at: member, expected: "a time such as \"40 ms\"")
        }
        if case .call = kind {
            for key in ["roundTrip", "congestion"] {
                guard let member = node[key] else { continue }
                report("a call does not react to the link", at: member, expected: "\(key) for TCP: bulk, video or web")
            }
        }
        if given[0] != "web" {
            for key in ["page", "connections"] {
                guard let member = node[key] else { continue }
                report("\(given[0]) has no pages", at: member, expected: "\(key) beside \"web\"")
            }
        }
        return flows
    }

    private mutating func page(_ node: Node) -> ByteCount? {
        let expected = "the bytes of a page, such as \"40 kB\""
        guard let bytes = quantity(node, expected: expected, ByteCount.quantity.parse) else { return nil }
        guard bytes > 0, bytes <= Self.mostBytes || !isStrict else {
            report("found \(node.shown)", at: node, expected: "from 1 byte to \(ByteCount(bytes: Self.mostBytes))")
            return nil
        }
        return ByteCount(bytes: bytes)
    }

    /// Reads the value of a kind; `count` for bulk, whose value is the number of flows.
    private mutating func kind(_ name: String, _ node: Node) -> (CompetingFlows.Kind, count: Int?)? {
        switch name {
        case "bulk": integer(node, in: 1...Self.mostOfOneKind).map { (.bulk, $0) }
        case "video": positiveRate(node, "8 Mbit/s").map { (.video($0), nil) }
        case "call": callRate(node).map { (.call($0), nil) }
        default: pagesPerMinute(node).map { (.web(pagesPerMinute: $0), nil) }
        }
    }

    private mutating func positiveRate(_ node: Node, _ example: String) -> BitRate? {
        let rate = rate(node)
        guard rate?.isZero == true else { return rate }
        report("a rate of zero sends nothing", at: node, expected: "a rate such as \"\(example)\"")
        return nil
    }

    private mutating func callRate(_ node: Node) -> BitRate? {
        let rate = positiveRate(node, "100 kbit/s")
        guard let rate, rate > Self.fastestCall, isStrict else { return rate }
        report("a call of \(rate)", at: node, expected: "at most \(Self.fastestCall)")
        return nil
    }

    private mutating func pagesPerMinute(_ node: Node) -> Double? {
        let words = (String(json: node.json) ?? "").split(separator: " ").map(String.init)
        let isNamed = words.count == 4 && ["page", "pages"].contains(words[1]) && words[2...] == ["a", "minute"]
        guard isNamed, let number = Double(words[0]), (0.01...1000).contains(number),
            words[0].allSatisfy({ $0.isASCIIDigit || $0 == "." })
        else {
            report("found \(node.shown)", at: node, expected: "\"3 pages a minute\", from 0.01 to 1000")
            return nil
        }
        return number
    }
}
