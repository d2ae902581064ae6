// SPDX-License-Identifier: Apache-2.0

/// The quality of a path by measurement. Names and round-trip times are those of the effective connection types in the
/// W3C's Network Information API, with a better class added.
public enum QualityClass: String, CaseIterable, Codable, Sendable {
    /// Below 50 ms, less than 1 % lost.
    case excellent
    /// Below 270 ms ("4g"), less than 5 % lost.
    case good
    /// Below 1.4 s ("3g"), less than 15 % lost.
    case fair
    /// Below 2 s ("2g"), less than 40 % lost.
    case poor
    /// Worse than any other class: practically unusable.
    case unusable

    /// Classifies the 95th percentile of the round-trip times and the share of lost probes.
    init(roundTrip: Duration, loss: Double) {
        let limits: [(QualityClass, Duration, Double)] = [
            (.excellent, .milliseconds(50), 0.01), (.good, .milliseconds(270), 0.05),
            (.fair, .milliseconds(1400), 0.15), (.poor, .seconds(2), 0.4),
        ]
        self = limits.first { roundTrip < $0.1 && loss < $0.2 }?.0 ?? .unusable
    }
}
