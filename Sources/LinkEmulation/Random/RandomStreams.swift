// SPDX-License-Identifier: Apache-2.0

/// A sequence of random numbers for each decision, all of one seed.
///
/// A decision takes the number at the packet's own place, whether or not other decisions needed theirs. So a packet's
/// jitter does not depend on whether there is loss, or on what happened to the packets before it. What is drawn here
/// is part of the promise that a seed makes a run happen again: never renumber, and never change what an index means.
struct RandomStreams: Sendable {
    /// Whether the packet is lost, in the state that the chain is in.
    let loss: UInt64
    /// Where the chain of the loss model goes next.
    let lossState: UInt64
    let duplicate: UInt64
    let corrupt: UInt64
    /// Which bit is flipped.
    let corruptBit: UInt64
    let jitter: UInt64
    let reorder: UInt64

    /// Lanes with the same seed and different numbers draw nothing in common.
    init(seed: UInt64, lane: UInt64) {
        // Twice, so that neighbouring seeds and lanes begin far apart.
        let root = SplitMix64.value(seed: SplitMix64.value(seed: seed, index: 0), index: lane)
        loss = SplitMix64.value(seed: root, index: 0)
        lossState = SplitMix64.value(seed: root, index: 1)
        duplicate = SplitMix64.value(seed: root, index: 2)
        corrupt = SplitMix64.value(seed: root, index: 3)
        corruptBit = SplitMix64.value(seed: root, index: 4)
        jitter = SplitMix64.value(seed: root, index: 5)
        reorder = SplitMix64.value(seed: root, index: 6)
    }
}
