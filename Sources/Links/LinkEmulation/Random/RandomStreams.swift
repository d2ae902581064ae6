// SPDX-License-Identifier: Apache-2.0

/// A sequence of random numbers for each kind of decision, all derived from one seed.
///
/// Each decision uses the number at the index of its packet. So the jitter of a packet does not depend on the loss
/// model or on the packets before it. A seed must always give the same results: a change of these sequences, or of the
/// meaning of an index, must raise `RandomSequence.version`.
struct RandomStreams: Sendable {
    /// Decides whether the packet is lost, given the state of the chain.
    let loss: UInt64
    /// Decides the next state of the loss model's chain.
    let lossState: UInt64
    let duplicate: UInt64
    let corrupt: UInt64
    /// Selects the bit that is flipped.
    let corruptBit: UInt64
    let jitter: UInt64
    let reorder: UInt64
    /// Decides in a managed queue, and when competing traffic begins.
    let bottleneck: UInt64

    /// Makes the sequences of a lane; lanes with the same seed and different numbers have unrelated sequences.
    init(seed: UInt64, lane: UInt64) {
        // Applied twice, so that similar seeds and lanes give unrelated sequences.
        let root = SplitMix64.value(seed: SplitMix64.value(seed: seed, index: 0), index: lane)
        loss = SplitMix64.value(seed: root, index: 0)
        lossState = SplitMix64.value(seed: root, index: 1)
        duplicate = SplitMix64.value(seed: root, index: 2)
        corrupt = SplitMix64.value(seed: root, index: 3)
        corruptBit = SplitMix64.value(seed: root, index: 4)
        jitter = SplitMix64.value(seed: root, index: 5)
        reorder = SplitMix64.value(seed: root, index: 6)
        bottleneck = SplitMix64.value(seed: root, index: 7)
    }
}
