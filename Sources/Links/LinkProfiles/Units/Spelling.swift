// SPDX-License-Identifier: Apache-2.0

/// Finds the nearest valid spelling of a misspelt word.
public enum Spelling {
    /// Returns the candidate with the fewest edits (insert, delete, replace, swap neighbours), ignoring case; nil if
    /// every candidate differs in more than a third of its letters.
    public static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(text.lowercased())
        let ranked = candidates.compactMap { candidate -> (candidate: String, edits: Int)? in
            let letters = Array(candidate.lowercased())
            let longer = max(wanted.count, letters.count)
            let limit = longer == 1 ? 0 : max(1, longer / 3)
            // The difference in length is a lower bound of the edits: skips the slow comparison of long texts.
            guard abs(wanted.count - letters.count) <= limit else { return nil }
            let edits = edits(from: wanted, to: letters)
            return edits <= limit ? (candidate, edits) : nil
        }
        return ranked.min { ($0.edits, $0.candidate) < ($1.edits, $1.candidate) }?.candidate
    }

    /// Returns the candidate that is another word for `text`, or else the nearest one; nil if there is neither.
    static func meant(by text: String, among candidates: [String]) -> String? {
        if let synonym = synonyms[text.lowercased()], candidates.contains(synonym) { return synonym }
        return nearest(to: text, among: candidates)
    }

    /// Other tools' words for the figures of a link.
    private static let synonyms = [
        "latency": "delay", "lag": "delay", "ping": "delay", "rtt": "delay", "bandwidth": "rate", "speed": "rate",
        "throughput": "rate", "bitrate": "rate", "bw": "rate", "drop": "loss", "drops": "loss", "packetloss": "loss",
        "packet_loss": "loss", "plr": "loss", "variation": "jitter", "buffer": "queue", "limit": "queue",
        "corruption": "corrupt", "duplication": "duplicate", "reordering": "reorder", "download": "downlink",
        "down": "downlink", "upload": "uplink", "up": "uplink",
    ]

    /// Whether the two texts differ by exactly one edit, ignoring case.
    package static func differByOneEdit(_ text: String, _ other: String) -> Bool {
        edits(from: Array(text.lowercased()), to: Array(other.lowercased())) == 1
    }

    /// Optimal string alignment distance.
    private static func edits(from source: [Character], to target: [Character]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...target.count)
        for (row, letter) in source.enumerated() {
            var current = [row + 1]
            for (column, other) in target.enumerated() {
                var cost = min(
                    previous[column] + (letter == other ? 0 : 1),
                    previous[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, letter == target[column - 1], source[row - 1] == other {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[target.count]
    }
}
