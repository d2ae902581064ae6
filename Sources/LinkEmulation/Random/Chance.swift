// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A probability as a number of 2^53 equal chances, so that zero never happens and one always does.
struct Chance: Sendable {
    static let bits: UInt64 = 53
    static let never = Chance(threshold: 0)

    let threshold: UInt64

    private init(threshold: UInt64) {
        self.threshold = threshold
    }

    init(_ probability: Probability) {
        // A power of two scales exactly; below 2^53 the half that rounds is exact too, or as good as.
        threshold = UInt64(probability.fraction * Double(1 << Self.bits) + 0.5)
    }

    init(_ probability: Probability?) {
        self = probability.map(Chance.init) ?? .never
    }

    /// This chance and `other`, of things that exclude each other.
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
