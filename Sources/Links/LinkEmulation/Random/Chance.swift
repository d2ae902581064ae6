// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A probability as a threshold out of 2^53, so that 0 never occurs and 1 always does.
struct Chance: Sendable {
    static let bits: UInt64 = 53
    static let never = Chance(threshold: 0)

    let threshold: UInt64

    private init(threshold: UInt64) {
        self.threshold = threshold
    }

    init(_ probability: Probability) {
        // Scaling by a power of two is exact; adding one half rounds to the nearest.
        threshold = UInt64(probability.fraction * Double(1 << Self.bits) + 0.5)
    }

    init(_ probability: Probability?) {
        self = probability.map(Chance.init) ?? .never
    }

    /// Returns the probability of this or `other`, for mutually exclusive events.
    func or(_ other: Chance) -> Chance {
        Chance(threshold: min(threshold + other.threshold, 1 << Self.bits))
    }

    @inline(__always)
    func hits(_ random: UInt64) -> Bool {
        random >> (64 - Self.bits) < threshold
    }

    @inline(__always)
    var isPossible: Bool { threshold > 0 }
}
