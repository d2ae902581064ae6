// SPDX-License-Identifier: Apache-2.0

/// Figures on a command line: "rate=1 Mbit/s,delay=50 ms".
public enum FigureList {
    /// Parses a list of `key=value` into the JSON object of one direction, or of "dns".
    ///
    /// - Throws: `InvalidProfile` if an item is not `key=value` or a key is given twice.
    public static func json(_ text: String) throws(InvalidProfile) -> JSON {
        var members: [(String, JSON?)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else {
                let problem = "\(JSON.quoted(String(part).shortened)) is not KEY=VALUE"
                throw invalid(problem, expected: "figures such as \"rate=1 Mbit/s,delay=50 ms\"")
            }
            let key = String(pair[0]).trimmingSpaces()
            let value = String(pair[1]).trimmingSpaces()
            guard !members.contains(where: { $0.0 == key }) else {
                throw invalid("\(JSON.quoted(key)) is given twice", expected: "each figure once")
            }
            members.append((key, ["true", "false"].contains(value) ? .bool(value == "true") : .text(value)))
        }
        return JSON(members: members)
    }

    /// Returns the figures of `base`, a direction or "dns", replaced by those of `figures`.
    ///
    /// A link has one bottleneck, so a rate replaces a trace, and vice versa. The size of a queue leaves its discipline as
    /// it is, and a discipline the size.
    public static func overriding(_ base: JSON?, by figures: JSON) -> JSON {
        let replaced = figures["rate"] != nil ? "trace" : figures["trace"] != nil ? "rate" : nil
        let kept = JSON(members: (base ?? JSON()).members.filter { $0.name != replaced }.map { ($0.name, $0.value) })
        return figures.members.reduce(kept) { result, member in
            let value = member.name == "queue" ? queue(base?["queue"], by: member.value) : member.value
            return result.replacing(member.name, value)
        }
    }

    /// Returns the queue with another size or another discipline.
    private static func queue(_ base: JSON?, by new: JSON) -> JSON {
        guard let base, case .string = new.value else { return new }
        let old = Node(json: base)
        guard let discipline = Node(json: new).discipline else {
            guard old.discipline != nil else { return new }
            guard case .object = base.value else { return JSON(("size", new), ("discipline", base)) }
            return base.replacing("size", new)
        }
        guard discipline != old.discipline else { return base }
        let size = old.discipline == nil && base.members.isEmpty ? base : base["size"]
        return size == nil ? new : JSON(("size", size), ("discipline", new))
    }

    private static func invalid(_ problem: String, expected: String) -> InvalidProfile {
        InvalidProfile(issues: [ProfileIssue(path: .root, position: .start, problem: problem, expected: expected)])
    }
}
