// SPDX-License-Identifier: Apache-2.0

/// The traffic that a rule applies to. Criteria of one kind are alternatives, all kinds must match, exclusions win.
public struct Selection: Hashable, Sendable {
    /// Criteria by kind. An empty list matches every packet.
    public struct Criteria: Hashable, Sendable {
        /// The prefixes that match the remote end's address.
        public var remotes: [AddressPrefix] = []
        /// The ports that match the port of either end (TCP, UDP).
        public var ports: [UInt16] = []
        /// The protocols that match the packet's protocol.
        public var protocols: [TransportProtocol] = []

        /// Makes empty criteria.
        public init() {}

        /// Compares criteria regardless of order and repetition.
        public static func == (left: Criteria, right: Criteria) -> Bool {
            left.sets == right.sets
        }

        /// Hashes criteria in accordance with `==`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(sets)
        }

        private var sets: [Set<AnyHashable>] { [Set(remotes), Set(ports), Set(protocols)] }

        /// Whether there are no criteria.
        public var isEmpty: Bool { remotes.isEmpty && ports.isEmpty && protocols.isEmpty }
    }

    /// The criteria that a packet must match.
    public var criteria: Criteria
    /// The criteria that exclude a packet; one match suffices.
    public var exclusions: Criteria

    /// Makes a selection; without arguments it selects everything.
    public init(_ criteria: Criteria = Criteria(), excluding exclusions: Criteria = Criteria()) {
        self.criteria = criteria
        self.exclusions = exclusions
    }

    /// Whether every packet is selected.
    public var isEverything: Bool { criteria.isEmpty && exclusions.isEmpty }
}

extension Selection: CustomStringConvertible {
    /// The selection in the syntax of the command line: "to 10.0.0.0/8 port 443 exclude port 22", or "everything".
    public var description: String {
        isEverything
            ? "everything"
            : (criteria.arguments(prefix: "") + exclusions.arguments(prefix: "exclude ")).joined(separator: " ")
    }

    /// The selection for a sentence: "traffic to 10.0.0.0/8 on port 443 except on port 22", or "everything".
    public var words: String {
        guard !isEverything else { return "everything" }
        let exceptions = exclusions.phrases.joined(separator: " or ")
        return (["traffic"] + criteria.phrases + (exceptions.isEmpty ? [] : ["except \(exceptions)"]))
            .joined(separator: " ")
    }

    /// Parses `description`; nil for other text.
    public init?(_ text: some StringProtocol) {
        self.init()
        if text == "everything" { return }
        var words = text.split(separator: " ")[...]
        guard !words.isEmpty else { return nil }
        while var key = words.popFirst() {
            let isExclusion = key == "exclude"
            if isExclusion {
                guard let next = words.popFirst() else { return nil }
                key = next
            }
            guard let value = words.popFirst() else { return nil }
            let path = isExclusion ? \Selection.exclusions : \Selection.criteria
            guard self[keyPath: path].add(key, value) else { return nil }
        }
    }
}

extension Selection.Criteria {
    fileprivate func arguments(prefix: String) -> [String] {
        remotes.map { "\(prefix)to \($0)" } + ports.map { "\(prefix)port \($0)" }
            + protocols.map { "\(prefix)protocol \($0.rawValue)" }
    }

    /// A phrase for each kind of criteria: "to 10.0.0.0/8 or 192.0.2.1".
    fileprivate var phrases: [String] {
        let kinds = [
            ("to", remotes.map { "\($0)" }), ("on port", ports.map { "\($0)" }), ("over", protocols.map(\.rawValue)),
        ]
        return kinds.filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: " or "))" }
    }

    /// Adds one criterion such as "port" "443"; false if it is invalid.
    public mutating func add(_ key: some StringProtocol, _ value: some StringProtocol) -> Bool {
        switch key {
        case "to":
            guard let prefix = AddressPrefix(String(value)) else { return false }
            remotes.append(prefix)
        case "port":
            guard let port = UInt16(value), port > 0, String(port) == value else { return false }
            ports.append(port)
        case "protocol":
            guard let transport = TransportProtocol(rawValue: String(value)) else { return false }
            protocols.append(transport)
        default: return false
        }
        return true
    }
}
