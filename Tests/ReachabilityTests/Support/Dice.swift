// SPDX-License-Identifier: Apache-2.0

/// Numbers that look random and are the same each time: Knuth's MMIX generator.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // The low bits of such a generator repeat soon.
        UInt64(half()) << 32 | UInt64(half())
    }

    private mutating func half() -> UInt32 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt32(truncatingIfNeeded: state >> 32)
    }
}
