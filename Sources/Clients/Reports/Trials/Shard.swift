// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// One of the parts into which the trials of a list are divided, such as 2/4.
package struct Shard: Hashable, Sendable {
    /// The number of the shard, from 1.
    package let number: Int
    /// The number of shards.
    package let count: Int

    package static let maximumCount = TrialList.maximumCount

    /// Where a job finds its number: GitLab counts the jobs of `parallel` from 1, Kubernetes the pods of an indexed Job
    /// from 0.
    private static let numberVariables = [("CI_NODE_INDEX", first: 1), ("JOB_COMPLETION_INDEX", first: 0)]
    private static let countVariable = "CI_NODE_TOTAL"
    /// The environment variables that "auto" reads.
    package static let variables = numberVariables.map(\.0) + [countVariable]

    /// Parses "2/4", or "auto" and "auto/4", which take the number of this job from `environment`.
    package init(parsing text: String, environment: [String: String]) throws(UnreadableShard) {
        guard text == "auto" || text.hasPrefix("auto/") else {
            guard let shard = Shard(text) else {
                throw UnreadableShard("'\(text)' is not K/N with K from 1 to N, nor auto, nor auto/N", try: "2/4")
            }
            self = shard
            return
        }
        let environment = environment.filter { !$0.value.isEmpty }
        let numbers = Self.numberVariables.filter { environment[$0.0] != nil }
        let names = Self.numberVariables.map(\.0)
        guard let (name, first) = numbers.first else {
            throw UnreadableShard("\(text) needs \(names[0]) or \(names[1]), and neither is set", try: "2/4")
        }
        // One of them is left from another job, and which one cannot be seen.
        guard numbers.count == 1 else {
            throw UnreadableShard("\(text): both \(names[0]) and \(names[1]) are set", try: "2/4")
        }
        let given = text == "auto" ? environment[Self.countVariable] : String(text.dropFirst("auto/".count))
        guard let given else {
            throw UnreadableShard("auto: \(name) is set, but \(Self.countVariable) is not", try: "auto/4")
        }
        guard let count = Self.number(given, in: 1...Self.maximumCount) else {
            let start = text == "auto" ? "\(Self.countVariable) is" : "auto/N:"
            throw UnreadableShard("\(start) '\(given)', and not a number from 1 to \(Self.maximumCount)", try: "auto/4")
        }
        let (value, range) = (environment[name] ?? "", first...(first + count - 1))
        guard let number = Self.number(value, in: range) else {
            let words = "\(range.lowerBound) to \(range.upperBound)"
            throw UnreadableShard("\(name) is '\(value)', and not a number from \(words)", try: nil)
        }
        (self.number, self.count) = (number - first + 1, count)
    }

    private static func number(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
        // Int accepts a sign as well.
        guard text.allSatisfy({ "0"..."9" ~= $0 }), let number = Int(text) else { return nil }
        return range ~= number ? number : nil
    }
}

extension Shard: LosslessStringConvertible, JSONConvertible {
    package var description: String { "\(number)/\(count)" }

    /// Parses "2/4"; nil for anything else.
    package init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Self.number(parts[1], in: 1...Self.maximumCount),
            let number = Self.number(parts[0], in: 1...count)
        else { return nil }
        (self.number, self.count) = (number, count)
    }
}

/// The reason why a text, or the environment, names no shard.
package struct UnreadableShard: Error, Hashable, CustomStringConvertible {
    package let description: String
    /// A value to give instead; nil if the text is not what is wrong.
    package let remedy: String?

    init(_ description: String, try remedy: String?) { (self.description, self.remedy) = (description, remedy) }
}
