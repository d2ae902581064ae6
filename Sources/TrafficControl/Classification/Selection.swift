// SPDX-License-Identifier: Apache-2.0

/// Which traffic a rule is about. Criteria of one kind are alternatives, kinds must all hold, exclusions win.
public struct Selection: Hashable, Sendable {
    /// What can be asked of a packet. An empty list asks nothing.
    public struct Criteria: Hashable, Sendable {
        /// The remote end's address lies in one of these.
        public var remotes: [AddressPrefix] = []
        /// Either end has one of these ports (TCP, UDP).
        public var ports: [UInt16] = []
        /// The packet is of one of these protocols.
        public var protocols: [TransportProtocol] = []

        /// Asks nothing.
        public init() {}

        /// Compares what is asked, whatever its order and however often it was said.
        public static func == (left: Criteria, right: Criteria) -> Bool {
            left.asked == right.asked
        }

        /// Hashes what is asked, as `==` compares it.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(asked)
        }

        private var asked: [Set<AnyHashable>] { [Set(remotes), Set(ports), Set(protocols)] }

        /// Whether nothing is asked.
        public var isEmpty: Bool { remotes.isEmpty && ports.isEmpty && protocols.isEmpty }
    }

    /// What a packet must be.
    public var criteria: Criteria
    /// What it must not be; any one of these excludes it.
    public var exclusions: Criteria

    /// Selects everything.
    public init(_ criteria: Criteria = Criteria(), excluding exclusions: Criteria = Criteria()) {
        self.criteria = criteria
        self.exclusions = exclusions
    }

    /// Whether every packet is meant.
    public var isEverything: Bool { criteria.isEmpty && exclusions.isEmpty }
}

/// A protocol above IP that a rule may ask for.
public enum TransportProtocol: String, CaseIterable, Hashable, Sendable {
    /// TCP.
    case tcp
    /// UDP.
    case udp
    /// ICMP and ICMPv6.
    case icmp
}

extension Selection: CustomStringConvertible {
    /// The selection as the command line spells it: "to 10.0.0.0/8 port 443 exclude port 22"; "everything".
    public var description: String {
        isEverything
            ? "everything" : (criteria.words(prefix: "") + exclusions.words(prefix: "exclude ")).joined(separator: " ")
    }

    /// Reads what `description` wrote; nil for anything else.
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
    fileprivate func words(prefix: String) -> [String] {
        remotes.map { "\(prefix)to \($0)" } + ports.map { "\(prefix)port \($0)" }
            + protocols.map { "\(prefix)protocol \($0.rawValue)" }
    }

    /// Adds one criterion in words; false where it is none.
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
