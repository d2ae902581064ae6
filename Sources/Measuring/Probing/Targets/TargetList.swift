// SPDX-License-Identifier: Apache-2.0

/// Targets from a text with one target per line.
public struct TargetList: Hashable, Sendable {
    /// A line that is not a valid target.
    public struct Mistake: Hashable, Sendable, CustomStringConvertible {
        /// The number of the line, from 1.
        public let line: Int
        /// The problem with the line.
        public let problem: String

        /// The line and its problem: "line 3: ...".
        public var description: String { "line \(line): \(problem)" }
    }

    /// The targets, without duplicates, in the order of the text.
    public private(set) var targets: [Target] = []
    /// The lines that are not valid targets.
    public private(set) var mistakes: [Mistake] = []

    /// Parses the lines of UTF-8 text; ignores empty lines and comments, which start with "#" at the beginning of a
    /// word.
    public init(_ bytes: some Sequence<UInt8>) {
        var seen: Set<Target> = []
        let lines = Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                mistakes.append(Mistake(line: number + 1, problem: "not UTF-8"))
                continue
            }
            let words = text.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("#") }
            guard let word = words.first else { continue }
            do throws(TargetError) {
                guard words.count == 1 else { throw TargetError(text, "one target a line") }
                let target = try Target(String(word))
                if seen.insert(target).inserted { targets.append(target) }
            } catch {
                mistakes.append(Mistake(line: number + 1, problem: error.description))
            }
        }
    }
}
