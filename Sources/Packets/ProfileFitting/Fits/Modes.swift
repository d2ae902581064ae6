// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Statistics

/// The two modes of round trips: two groups with so few values between them that one mode is unlikely.
struct Modes {
    /// The medians of the groups, in seconds.
    let low: Double
    let high: Double
    /// The share of round trips in the higher group.
    let share: Double

    /// The maximum probability of a gap under one mode. The split is chosen where the groups are farthest apart, so the
    /// real rate of false alarms is higher: 1 % for uniform round trips, 0.1 % if both directions vary alike.
    private static let maximumChance = 0.003

    /// Returns nil if one mode is compatible with the values, or if there are too few.
    init?(_ sorted: [Double]) {
        guard sorted.count >= 30 else { return nil }
        let split = Self.split(sorted)
        let groups = [Array(sorted[..<split]), Array(sorted[split...])]
        (low, high) = (groups[0].midpointQuantile(0.5), groups[1].midpointQuantile(0.5))
        share = Double(groups[1].count) / Double(sorted.count)
        let third = (high - low) / 3
        let valley = sorted.count { low + third < $0 && $0 < high - third }
        let smaller = min(groups[0].count, groups[1].count)
        guard smaller * 20 >= sorted.count, valley * 4 < smaller, high - low > max(0.05 * low, 0.0005) else {
            return nil
        }
        // With one mode, the range between two ranges of equal width has at least as many values as one of them.
        let hills = [low, high].map { median in sorted.count { abs($0 - median) < third / 2 } }
        if Self.chance(of: valley, beside: hills.min() ?? 0) < Self.maximumChance { return }
        // Otherwise the gap between the groups decides: uniformly distributed values would hardly leave one as wide.
        let gap = groups[1][0] - groups[0][split - 1]
        let chances = groups.map { group in
            let width = (group.last ?? 0) - group[0]
            return pow(width / (width + gap), Double(group.count - 1))
        }
        guard gap > 0, chances.allSatisfy({ $0 < Self.maximumChance }) else { return nil }
    }

    /// The index that splits the values into the two groups with the least variance within.
    private static func split(_ sorted: [Double]) -> Int {
        let (count, total) = (sorted.count, sorted.reduce(0, +))
        var (sum, best, split) = (0.0, 0.0, 1)
        for index in 1..<count {
            sum += sorted[index - 1]
            let difference = (total - sum) / Double(count - index) - sum / Double(index)
            let between = Double(index) * Double(count - index) * difference * difference
            if between > best { (best, split) = (between, index) }
        }
        return split
    }

    /// The probability of at most `valley` values in a range beside one of the same width with `hill` values, if both
    /// ranges have the same expected number.
    private static func chance(of valley: Int, beside hill: Int) -> Double {
        let all = valley + hill
        return (0...valley).reduce(0) { $0 + exp(logBinomial(all, $1) - Double(all) * M_LN2) }
    }
}
