// SPDX-License-Identifier: Apache-2.0

/// Traffic of others on a command line: "bulk", "2 bulk up", "video 8 Mbit/s", "call 100 kbit/s+web 3 pages a minute".
public enum CompetingList {
    /// Words that are accepted, for completion.
    public static let examples = [
        "bulk", "bulk up", "video 8 Mbit/s", "call 100 kbit/s", "web 3 pages a minute", "none",
    ]

    private static let directions: [Substring: [Direction]] = [
        "down": [.downlink], "downlink": [.downlink], "up": [.uplink], "uplink": [.uplink],
        "both": [.downlink, .uplink],
    ]

    /// Returns the profile with this traffic instead of its own, in each direction that the traffic uses.
    ///
    /// A direction follows the words: "bulk up", "call 100 kbit/s both". Without one, a call uses both directions, and
    /// other traffic the downlink. "none" removes the profile's own.
    ///
    /// - Throws: `InvalidProfile` for unknown words, and for a direction without a rate.
    public static func overriding(_ profile: Profile, by texts: [String]) throws(InvalidProfile) -> Profile {
        guard !texts.isEmpty else { return profile }
        guard texts != ["none"] else { return profile.sharing([.downlink: [], .uplink: []]) }
        var traffic: [Direction: [CompetingFlows]] = [:]
        for text in texts {
            for part in text.split(separator: "+", omittingEmptySubsequences: false) {
                let words = part.split(separator: " ")
                let named = words.last.flatMap { directions[$0] }
                let given = (named == nil ? words : words.dropLast()).joined(separator: " ")
                for flows in try named == nil ? flows(undirected: words) : flows(given) {
                    for direction in named ?? flows.usualDirections {
                        guard profile.hasBottleneck(direction) else { throw noRate(direction, given, named) }
                        traffic[direction, default: []].append(flows)
                    }
                }
            }
        }
        return try Profile(json: profile.sharing(traffic).json)
    }

    private static func flows(_ words: String) throws(InvalidProfile) -> [CompetingFlows] {
        var reader = NodeReader()
        let flows = reader.competing(words: words, at: Node(json: words.json))
        guard let flows, reader.issues.isEmpty else { throw InvalidProfile(issues: reader.issues) }
        return flows
    }

    /// Reads words without a direction; a word too many is taken for one.
    private static func flows(undirected words: [Substring]) throws(InvalidProfile) -> [CompetingFlows] {
        do throws(InvalidProfile) {
            return try flows(words.joined(separator: " "))
        } catch {
            let before = words.dropLast().joined(separator: " ")
            guard let last = words.last, (try? flows(before)) != nil else { throw error }
            let issue = ProfileIssue(
                path: .root,
                position: .start,
                problem: "found \(JSON.quoted(String(last).shortened)) after \(JSON.quoted(before.shortened))",
                expected: "\"up\", \"down\" or \"both\" there, and a number in front"
            )
            throw InvalidProfile(issues: [issue])
        }
    }

    private static func noRate(_ direction: Direction, _ words: String, _ named: [Direction]?) -> InvalidProfile {
        let remedy = named == nil && direction == .uplink ? ", or \"\(words) down\"" : ""
        let issue = ProfileIssue(
            path: .root,
            position: .start,
            problem: "the \(direction.rawValue) has no rate that \"\(words)\" could share",
            expected: "a rate in the profile or by --rate\(remedy)"
        )
        return InvalidProfile(issues: [issue])
    }
}

extension CompetingFlows {
    /// The directions of the traffic where none is given.
    fileprivate var usualDirections: [Direction] {
        if case .call = kind { [.downlink, .uplink] } else { [.downlink] }
    }
}

extension Profile {
    /// Whether a direction has a rate at any time.
    fileprivate func hasBottleneck(_ direction: Direction) -> Bool {
        let base = direction == .downlink ? downlink : uplink
        let steps = (schedule?.steps ?? []).map { direction == .downlink ? $0.downlink : $0.uplink }
        return ([base] + steps).contains { $0?.rate != nil || $0?.trace != nil }
    }

    /// Returns the profile with other competing traffic in some directions.
    fileprivate func sharing(_ traffic: [Direction: [CompetingFlows]]) -> Profile {
        var profile = self
        for (direction, flows) in traffic {
            let key = direction == .downlink ? \Profile.downlink : \Profile.uplink
            var impairments = profile[keyPath: key] ?? Impairments()
            guard !flows.isEmpty || impairments.competing != nil else { continue }
            impairments.competing = flows.isEmpty ? nil : flows
            profile[keyPath: key] = impairments
        }
        return profile
    }
}
