// SPDX-License-Identifier: Apache-2.0

/// The generator SplitMix64 (G. L. Steele, D. Lea, C. H. Flood: "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014; constants as in S. Vigna's public-domain splitmix64.c), with random access, since its state is a counter.
@usableFromInline
package enum SplitMix64 {
    @usableFromInline static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Returns the number at `index`, counted from 0, of the sequence of `seed`.
    @inlinable @inline(__always)
    package static func value(seed: UInt64, index: UInt64) -> UInt64 {
        var mixed = seed &+ (index &+ 1) &* increment
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
