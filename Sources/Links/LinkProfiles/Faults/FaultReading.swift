// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

extension NodeReader {
    /// Reads a list of faults, and reports faults that can never happen.
    mutating func faults(_ node: Node) -> [Fault]? {
        let example = "an array such as [{\"match\": {\"port\": 443}, \"do\": \"reset\"}]"
        guard let elements = elements(of: node, atMost: Fault.mostInProfile, what: "faults", expected: example) else {
            return nil
        }
        var faults: [(number: Int, fault: Fault)] = []
        for (index, element) in elements.enumerated() {
            guard let fault = fault(element) else { continue }
            checkShadow(of: fault, by: faults, at: element)
            faults.append((index + 1, fault))
        }
        return faults.map(\.fault)
    }

    private mutating func fault(_ node: Node) -> Fault? {
        guard isObject(node, keys: ["match", "do"], what: "a fault: an object with the keys \"match\" and \"do\"")
        else {
            return nil
        }
        let before = issues.count
        let match = required("match", of: node, expected: "what it happens to, such as {\"port\": 443}") {
            $0.faultMatch($1)
        }
        let action = required("do", of: node, expected: Self.actionExpectation) { $0.faultAction($1) }
        guard let match, let action, issues.count == before else { return nil }
        let fault = Fault(match, action)
        checkContradictions(of: fault, at: node)
        return issues.count == before ? fault : nil
    }

    /// The maximum number of addresses, ports or protocols in one list of a fault or a rule.
    private static let maximumEnds = 1024
    static let endKeys = ["to", "port", "protocol"]
    static let matchKeys =
        endKeys + [
            "exclude", "version", "packet", "connection", "after", "dns", "type", "larger", "probability",
            "lane",
        ]

    private mutating func faultMatch(_ node: Node) -> FaultMatch? {
        guard isObject(node, keys: Self.matchKeys, what: "an object such as {\"to\": \"192.0.2.1\", \"port\": 443}")
        else { return nil }
        var match = FaultMatch()
        match.ends = ends(node)
        match.exclusions = optional("exclude", of: node) { $0.exclusions($1) } ?? FaultMatch.Ends()
        match.version = optional("version", of: node) { $0.version($1) }
        match.packet = optional("packet", of: node) { $0.packetKind($1) }
        match.connection = optional("connection", of: node) { $0.ordinal($1) }
        match.after = optional("after", of: node) { $0.progress($1) }
        match.name = optional("dns", of: node) { $0.namePattern($1) }
        match.recordType = optional("type", of: node) { $0.recordType($1) }
        match.larger = optional("larger", of: node) { $0.packetLength($1) }
        match.probability = optional("probability", of: node) { $0.faultProbability($1) }
        match.direction = optional("lane", of: node) { $0.choice($1) }
        return match
    }

    /// Reads the conditions on packets' ends in a fault or a rule.
    mutating func ends(_ node: Node) -> FaultMatch.Ends {
        var ends = FaultMatch.Ends()
        ends.remotes = optional("to", of: node) { $0.oneOrMore($1) { $0.remote($1) } } ?? []
        ends.ports = optional("port", of: node) { $0.oneOrMore($1) { $0.integer($1, in: 1...UInt16.max) } } ?? []
        ends.protocols = optional("protocol", of: node) { $0.oneOrMore($1) { $0.choice($1) } } ?? []
        return ends
    }

    mutating func exclusions(_ node: Node) -> FaultMatch.Ends? {
        let example = "an object such as {\"port\": 53}"
        guard isObject(node, keys: Self.endKeys, what: example) else { return nil }
        if node.members.isEmpty { report("an empty object excludes nothing", at: node, expected: example) }
        return ends(node)
    }

    /// Reads a single value or an array of values.
    private mutating func oneOrMore<Value>(
        _ node: Node,
        _ read: (inout NodeReader, Node) -> Value?
    ) -> [Value]? {
        guard let elements = node.elements else { return read(&self, node).map { [$0] } }
        if elements.isEmpty { report("an empty array matches nothing", at: node, expected: "at least one value") }
        // The length is limited because each fault is compared with all faults before it.
        if elements.count > Self.maximumEnds {
            report(counted(elements.count, "value"), at: node, expected: "at most \(Self.maximumEnds)")
        }
        return elements.prefix(Self.maximumEnds).compactMap { read(&self, $0) }
    }

    private mutating func remote(_ node: Node) -> FaultMatch.Remote? {
        guard let text = string(node) else { return nil }
        if let prefix = AddressPrefix(text) { return .prefix(prefix) }
        // Rejects text that looks like an address, so that a misspelt address is not read as a name.
        let isName = NamePattern(text).map { !$0.text.hasPrefix("*") } ?? false
        let last = text.split(separator: ".").last ?? ""
        guard isName, !last.allSatisfy(\.isASCIIDigit), !text.contains("/") else {
            report(
                "found \(JSON.quoted(text.shortened))",
                at: node,
                expected: "an address, a network such as \"10.0.0.0/8\", or a host name"
            )
            return nil
        }
        return .name(text)
    }

    private mutating func version(_ node: Node) -> IPAddress.Family? {
        guard let number = Int(json: node.json), number == 4 || number == 6 else {
            report("found \(node.shown)", at: node, expected: "4 or 6")
            return nil
        }
        return number == 4 ? .ipv4 : .ipv6
    }

    private static let packetExpectation =
        "\"syn\", \"quic initial\", \"tls hello NAME\", \"nth 3\", \"every 10\" or \"first 2\""

    private mutating func packetKind(_ node: Node) -> FaultMatch.PacketKind? {
        guard let text = string(node) else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        switch words {
        case ["syn"]: return .syn
        case ["quic", "initial"]: return .quicInitial
        case ["tls", "hello"]:
            report(
                "\"tls hello\" without a name",
                at: node,
                expected: "\"tls hello api.test\"; \"*\" stands for every name"
            )
            return nil
        default: break
        }
        if words.count == 3, words[0] == "tls", words[1] == "hello" {
            if let name = NamePattern(words[2]) { return .tlsHello(name) }
            report(
                "\(JSON.quoted(words[2].shortened)) is no host name",
                at: node,
                expected: "a name, \"*.\" with a name, or \"*\""
            )
            return nil
        }
        if let number = Self.count(words, after: "every") { return .every(number) }
        if let ordinal = Self.ordinal(words), ordinal != .afterTheFirst { return .ordinal(ordinal) }
        let nearest = Spelling.nearest(
            to: text,
            among: ["syn", "quic initial", "tls hello *", "nth 1", "every 10", "first 1"]
        )
        report("found \(node.shown)", at: node, expected: Self.packetExpectation, suggestion: nearest)
        return nil
    }

    private static func count(_ words: [String], after word: String) -> Int? {
        guard words.count == 2, words[0] == word, let number = Int(words[1]), 1...1_000_000 ~= number else {
            return nil
        }
        return number
    }

    private static func ordinal(_ words: [String]) -> FaultMatch.Ordinal? {
        if words == ["after", "the", "first"] { return .afterTheFirst }
        if let number = count(words, after: "nth") { return .nth(number) }
        return count(words, after: "first").map { .first($0) }
    }

    private mutating func ordinal(_ node: Node) -> FaultMatch.Ordinal? {
        guard let text = string(node) else { return nil }
        if let ordinal = Self.ordinal(text.split(separator: " ").map(String.init)) { return ordinal }
        let nearest = Spelling.nearest(to: text, among: ["nth 1", "first 1", "after the first"])
        report(
            "found \(node.shown)",
            at: node,
            expected: "\"nth 2\", \"first 2\" or \"after the first\"",
            suggestion: nearest
        )
        return nil
    }

    private mutating func progress(_ node: Node) -> FaultMatch.Progress? {
        let expected = "bytes such as \"20 kB\", a time such as \"5 s\", or {\"idle\": \"5 s\"}"
        if case .object = node.json.value {
            guard isObject(node, keys: ["idle"], what: expected) else { return nil }
            let time = required("idle", of: node, expected: "a time such as \"5 s\"") { $0.duration($1, Duration.wait) }
            guard let time else { return nil }
            if time == .zero { report("every connection is idle for 0 s", at: node, expected: "more than 0 s") }
            return .idle(time)
        }
        guard let text = String(json: node.json) else {
            report("found \(node.shown)", at: node, expected: expected)
            return nil
        }
        if case .success(let bytes) = ByteCount.quantity.parse(text) { return .bytes(ByteCount(bytes: bytes)) }
        if case .success(let time) = Duration.quantity.parse(text) { return .time(.nanoseconds(Int64(time))) }
        // Reports the error of the type that the unit suggests, time or bytes.
        let isTime = text.last == "s" && !text.contains("byte")
        switch isTime ? Duration.quantity.parse(text) : ByteCount.quantity.parse(text) {
        case .failure(let error):
            let hasUnit = text.contains(where: \.isLetter)
            report(
                "\(JSON.quoted(text.shortened)) \(error.reason)",
                at: node,
                expected: error.isAboutUnit ? expected : error.expected,
                suggestion: hasUnit ? error.suggestion : nil
            )
        case .success: break
        }
        return nil
    }

    private mutating func namePattern(_ node: Node) -> NamePattern? {
        guard let text = string(node) else { return nil }
        if let pattern = NamePattern(text) { return pattern }
        report("\(node.shown) is no host name", at: node, expected: "a name such as \"api.test\", \"*.test\", or \"*\"")
        return nil
    }

    private mutating func recordType(_ node: Node) -> RecordType? {
        guard let text = string(node) else { return nil }
        if let type = RecordType.allCases.first(where: { $0.name == text }) { return type }
        let names = RecordType.allCases.map(\.name)
        let expected = "one of \(names.joined(separator: ", "))"
        report(
            "found \(node.shown)",
            at: node,
            expected: expected,
            suggestion: Spelling.nearest(to: text, among: names)
        )
        return nil
    }

    private mutating func packetLength(_ node: Node) -> Int? {
        let count = quantity(node, expected: "a packet's length, such as \"1280 bytes\"", ByteCount.quantity.parse)
        guard let count else { return nil }
        guard count < 65_535 else {
            report("no packet of IP is larger than 65535 bytes", at: node, expected: "at most 65534 bytes")
            return nil
        }
        return Int(count)
    }

    private mutating func faultProbability(_ node: Node) -> Probability? {
        guard let share = probability(node) else { return nil }
        if share == .zero { report("a probability of 0 never happens", at: node, expected: "more than \"0 %\"") }
        return share
    }
}
