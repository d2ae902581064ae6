// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The name of a lane's ifb or TAP device: `lc<ifindex>r<rule>` and the lane's letter. A lane that replaces another of
/// the same rule appends a generation, because both exist until the first has drained.
package struct LaneName: Hashable, Sendable {
    /// The index of the conditioned device.
    package let deviceIndex: Int32
    /// The rule's number on that device.
    package let rule: Int
    package let kind: Lane
    /// 0 for a rule's first lane of the kind, then 1 to 9, and 1 again.
    package var generation = 0

    /// The name of a lane that is the root qdisc of a device: a placeholder, since the lane has no device with this
    /// name.
    static func atRoot(of index: Int32) -> LaneName { LaneName(deviceIndex: index, rule: 1, kind: .uplink) }

    /// The name of the lane that replaces this one.
    var successor: LaneName {
        LaneName(deviceIndex: deviceIndex, rule: rule, kind: kind, generation: generation % 9 + 1)
    }
}

extension LaneName: CustomStringConvertible {
    /// The device's name. 15 bytes are enough for rules up to 9 with the largest index, and up to 99 with indexes below
    /// a million.
    package var description: String {
        "lc\(deviceIndex)r\(rule)\(kind.letter)\(generation == 0 ? "" : String(generation))"
    }

    /// Parses a device's name; nil for a name of another pattern.
    package init?(_ text: String) {
        guard text.hasPrefix("lc"), let separator = text.firstIndex(of: "r"),
            let index = Int32(text[text.index(text.startIndex, offsetBy: 2)..<separator]), index > 0
        else { return nil }
        let digits = text[text.index(after: separator)...].prefix { $0.isASCII && $0.isNumber }
        let rest = text[digits.endIndex...]
        guard let rule = Int(digits), rule > 0, let letter = rest.first,
            let kind = Lane.allCases.first(where: { $0.letter == letter })
        else { return nil }
        let generation = rest.dropFirst()
        guard generation.isEmpty || (generation.count == 1 && Int(generation).map { $0 > 0 } == true) else {
            return nil
        }
        self.init(deviceIndex: index, rule: rule, kind: kind, generation: Int(generation) ?? 0)
        // Rejects leading zeros and signs.
        guard description == text else { return nil }
    }
}

extension Lane {
    /// The letter in the name of the lane's device and in the cookie of its filter.
    var letter: Character {
        switch self {
        case .dns: "n"
        case .uplink: "u"
        case .downlink: "d"
        }
    }

    /// The position of the lane's filter among the rule's filters: the DNS filter precedes the uplink's.
    package var order: UInt16 {
        switch self {
        case .dns: 0
        case .uplink: 1
        case .downlink: 2
        }
    }
}
