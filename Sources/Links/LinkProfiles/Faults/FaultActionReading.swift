// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

extension NodeReader {
    private static let words: [(text: String, action: FaultAction)] = [
        ("lose", .lose), (FaultAction.loseFromHereText, .loseFromHere), ("reset", .reset), ("close", .close),
        ("half close", .halfClose), ("stall", .stall),
    ]
    private static let objects = ["refuse", "answer", "portal"]

    static let actionExpectation =
        (words.map { JSON.quoted($0.text) } + objects.map { "{\"\($0)\": …}" }).joined(separator: ", ")

    mutating func faultAction(_ node: Node) -> FaultAction? {
        if let text = String(json: node.json) {
            if let known = Self.words.first(where: { $0.text == text }) { return known.action }
            let isObject = Self.objects.contains(text)
            let nearest = isObject ? nil : Spelling.nearest(to: text, among: Self.words.map(\.text))
            let expected = isObject ? "an object such as \(Self.example(of: text))" : "one of \(Self.actionExpectation)"
            report("found \(node.shown)", at: node, expected: expected, suggestion: nearest)
            return nil
        }
        let problems = (none: "does nothing", several: "does several things at once")
        guard let kind = onlyMember(of: node, keys: Self.objects, problems, expected: Self.actionExpectation) else {
            return nil
        }
        switch kind.name {
        case "refuse": return (choice(kind.node) as FaultAction.Refusal?).map(FaultAction.refuse)
        case "portal": return portal(kind.node).map(FaultAction.portal)
        default: return answer(kind.node)
        }
    }

    private static func example(of word: String) -> String {
        switch word {
        case "refuse": "{\"refuse\": \"port\"}"
        case "answer": "{\"answer\": \"NXDOMAIN\"}"
        default: "{\"portal\": \"http://portal.test/\"}"
        }
    }

    private mutating func answer(_ node: Node) -> FaultAction? {
        let words = DNSFaultAnswer.words.map(\.word)
        let expected =
            "one of \(words.joined(separator: ", ")), an address, or {\"after\": \"6 s\"}"
        if case .object = node.json.value {
            guard isObject(node, keys: ["after"], what: expected) else { return nil }
            let example = "a time such as \"6 s\""
            let time = required("after", of: node, expected: example) { $0.duration($1, Duration.wait) }
            guard let time else {
                return nil
            }
            guard time > .zero, time <= FaultAction.longestHold else {
                report(
                    "\(time.text) is \(time > .zero ? "longer than any client waits" : "no delay")",
                    at: node,
                    expected: "more than 0 s and at most \(FaultAction.longestHold.text)"
                )
                return nil
            }
            return .hold(time)
        }
        guard let text = String(json: node.json) else {
            report("found \(node.shown)", at: node, expected: expected)
            return nil
        }
        if let known = DNSFaultAnswer.words.first(where: { $0.word == text }) { return .answer(known.answer) }
        if let address = IPAddress(text), address.scope == 0 { return .answer(.address(address)) }
        report(
            "found \(node.shown)",
            at: node,
            expected: expected,
            suggestion: Spelling.nearest(to: text, among: words)
        )
        return nil
    }

    private mutating func portal(_ node: Node) -> String? {
        guard let text = string(node) else { return nil }
        let isAddress =
            ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } && text.utf8.count <= FaultAction.longestPortal
        if isAddress { return text }
        report(
            "found \(node.shown)",
            at: node,
            expected: "an address of at most \(FaultAction.longestPortal) characters, such as \"http://portal.test/\""
        )
        return nil
    }
}

extension FaultAction {
    /// The longest delay of a query.
    static let longestHold = Duration.seconds(120)
    /// The maximum length of a portal's URL: the redirection with it must fit one packet.
    static let longestPortal = 500
}
