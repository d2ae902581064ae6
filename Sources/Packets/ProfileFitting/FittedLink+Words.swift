// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Formats figures for the table.
extension FittedLink {
    /// The duration rounded to four significant digits, the precision of the measurements.
    static func duration(_ seconds: Double) -> Duration {
        .nanoseconds(Int64((min(max(seconds, 0), 3600).rounded(digits: 4) * 1e9).rounded()))
    }

    static func words(_ seconds: Double) -> String { Duration.nanoseconds(Int64(max(seconds, 0) * 1e9)).words }

    static func range(_ seconds: Estimate) -> String {
        "\(words(seconds.range.lowerBound)) to \(words(seconds.range.upperBound))"
    }

    static func percent(_ share: Double) -> String { Probability(fraction: share.rounded(digits: 2)).description }

    static func percent(_ share: Estimate) -> String {
        "\(percent(share.range.lowerBound)) to \(percent(share.range.upperBound))"
    }

    static func number(_ value: Double) -> String {
        let text = "\(value.rounded(digits: 3))"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func rate(_ bitsPerSecond: Double) -> String { bitRate(bitsPerSecond).description }

    /// The rate, rounded to four significant digits and limited to 10 Tbit/s, the highest rate of a profile.
    static func bitRate(_ bitsPerSecond: Double) -> BitRate {
        BitRate(bitsPerSecond: UInt64(min(max(bitsPerSecond, 0), 1e13).rounded(digits: 4)))
    }

    static func probability(_ probability: Double) -> String {
        probability < 0.001 ? "p < 0.001" : "p = \(probability.rounded(digits: 2))"
    }
}
