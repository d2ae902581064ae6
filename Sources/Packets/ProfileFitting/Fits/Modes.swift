// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Statistics

/// Two groups of round trips, with so few between them as values of one mode hardly ever leave.
struct Modes {
    /// The medians of the groups, in seconds.
    let low: Double
    let high: Double
    /// The share of the higher one.
    let share: Double

    /// How often one mode may look like two. The groups are chosen where they are farthest apart, so that this comes to
    /// one in a hundred of uniform round trips, and to one in a thousand of those that vary alike both ways.
    private static let maximumChance = 0.003

    /// Returns nil for one mode, and for too few values to tell.
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
        // In one mode, no stretch between two others of its width has fewer values than either.
        let hills = [low, high].map { median in sorted.count { abs($0 - median) < third / 2 } }
        if Self.chance(of: valley, beside: hills.min() ?? 0) < Self.maximumChance { return }
        // Nor do the values at either end of it come nearer to each other than uniform ones would.
        let gap = groups[1][0] - groups[0][split - 1]
        let chances = groups.map { group in
            let width = (group.last ?? 0) - group[0]
            return pow(width / (width + gap), Double(group.count - 1))
        }
        guard gap > 0, chances.allSatisfy({ $0 < Self.maximumChance }) else { return nil }
    }

    /// The split at which two parts vary least.
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

    /// The probability of so few values in a valley beside a hill of its width, if both have the same expectation.
    private static func chance(of valley: Int, beside hill: Int) -> Double {
        let all = valley + hill
        return (0...valley).reduce(0) { $0 + exp(logBinomial(all, $1) - Double(all) * M_LN2) }
    }
}
