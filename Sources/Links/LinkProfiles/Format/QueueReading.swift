// SPDX-License-Identifier: Apache-2.0

extension NodeReader {
    /// The queue at a bottleneck, as its size, its management, or both.
    struct Queue {
        var size: QueueSize?
        var management: QueueManagement?
    }

    /// Reads a size, the name of a discipline, or an object with both and the discipline's parameters.
    mutating func queue(_ node: Node) -> Queue? {
        guard case .object = node.json.value else {
            if case .string(let text) = node.json.value,
                let discipline = QueueManagement.Discipline(rawValue: text.trimmingSpaces())
            {
                return Queue(management: QueueManagement(discipline))
            }
            return queueSize(node).map { Queue(size: $0) }
        }
        let keys = ["size", "discipline"] + QueueManagement.Parameter.allCases.map(\.rawValue)
        guard isObject(node, keys: keys, what: "a size, a discipline, or an object with the key \"discipline\"") else {
            return nil
        }
        let size = optional("size", of: node) { $0.quantity($1, expected: QueueSize.expectation, QueueSize.parse) }
        if node.members.count == 1, let size { return Queue(size: size) }
        let discipline = required("discipline", of: node, expected: "one of \(Self.disciplines)") { $0.discipline($1) }
        guard let discipline else { return nil }
        return Queue(size: size, management: management(discipline, node))
    }

    private static let disciplines = QueueManagement.Discipline.allCases.map(\.rawValue).joined(separator: ", ")

    private mutating func queueSize(_ node: Node) -> QueueSize? {
        let expected = "\(QueueSize.expectation), or one of \(Self.disciplines)"
        guard case .string(let text) = node.json.value, text.trimmingSpaces().first?.isLetter == true else {
            return quantity(node, expected: expected, QueueSize.parse)
        }
        let suggestion = QueueManagement.Discipline.meant(by: text.trimmingSpaces())
        report("found \(node.shown)", at: node, expected: expected, suggestion: suggestion)
        return nil
    }

    private mutating func discipline(_ node: Node) -> QueueManagement.Discipline? {
        let text = String(json: node.json)?.trimmingSpaces() ?? ""
        if let discipline = QueueManagement.Discipline(rawValue: text) { return discipline }
        let suggestion = QueueManagement.Discipline.meant(by: text)
        report("found \(node.shown)", at: node, expected: "one of \(Self.disciplines)", suggestion: suggestion)
        return nil
    }

    private mutating func management(_ discipline: QueueManagement.Discipline, _ node: Node) -> QueueManagement {
        var management = QueueManagement(discipline)
        for parameter in QueueManagement.Parameter.allCases where !discipline.parameters.contains(parameter) {
            guard let member = node[parameter.rawValue] else { continue }
            let own = discipline.parameters.map(\.rawValue).joined(separator: ", ")
            let expected = own.isEmpty ? "no parameters for \(discipline.rawValue)" : "one of \(own)"
            report("\(discipline.rawValue) has no \(parameter.rawValue)", at: member, expected: expected)
        }
        func time(_ parameter: QueueManagement.Parameter, _ reader: inout NodeReader) -> Duration? {
            let time = reader.optional(parameter.rawValue, of: node) { $0.duration($1) }
            if time == .zero, let member = node[parameter.rawValue] {
                reader.report("\(parameter.rawValue) is zero", at: member, expected: "a time such as \"5 ms\"")
            }
            return time
        }
        management.target = time(.target, &self)
        management.interval = time(.interval, &self)
        management.update = time(.update, &self)
        management.burst = optional("burst", of: node) { $0.duration($1) }
        management.step = time(.step, &self)
        management.quantum = optional("quantum", of: node) { $0.integer($1, in: 64...65_536) }
        management.flows = optional("flows", of: node) { $0.integer($1, in: 8...65_536) }
        management.coupling = optional("coupling", of: node) { $0.number($1, in: 0.1...100) }
        checkTarget(of: management, node)
        return management
    }

    /// Reports a target above the interval in which CoDel waits for it.
    private mutating func checkTarget(of management: QueueManagement, _ node: Node) {
        guard management.discipline.parameters.contains(.interval) else { return }
        let interval = management.interval ?? QueueManagement.defaultInterval
        guard let target = management.target, target > interval, let member = node["target"] else { return }
        let expected = "at most the interval of \(interval.text)"
        report("a target of \(target.text) is never missed for an interval", at: member, expected: expected)
    }
}

extension QueueManagement {
    /// The interval of CoDel without one: RFC 8289, section 4.3.
    package static let defaultInterval = Duration.milliseconds(100)

    /// The keys of the parameters in a profile.
    enum Parameter: String, CaseIterable {
        case target, interval, quantum, flows, update, burst, step, coupling
    }
}

extension QueueManagement.Discipline {
    /// The parameters of the discipline's document.
    var parameters: [QueueManagement.Parameter] {
        switch self {
        case .dropTail, .dropHead: []
        case .codel: [.target, .interval]
        case .fqCodel, .cake: [.target, .interval, .quantum, .flows]
        case .pie: [.target, .update, .burst]
        case .dualPI2: [.target, .update, .step, .coupling]
        }
    }
}

extension QueueManagement.Discipline {
    /// The discipline that a misspelt name means, or another name for it; nil if there is none.
    fileprivate static func meant(by text: String) -> String? {
        let text = text.lowercased()
        if let discipline = synonyms[text] { return discipline.rawValue }
        return Spelling.nearest(to: text, among: allCases.map(\.rawValue))
    }

    private static let synonyms: [String: Self] = [
        "fifo": .dropTail, "pfifo": .dropTail, "bfifo": .dropTail, "tail-drop": .dropTail, "head-drop": .dropHead,
        "pfifo_head_drop": .dropHead, "dualq": .dualPI2, "l4s": .dualPI2, "fq": .fqCodel, "fq_pie": .pie,
        "sqm": .cake, "cobalt": .cake,
    ]
}
