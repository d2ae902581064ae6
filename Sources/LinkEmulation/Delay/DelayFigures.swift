// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// How long packets are delayed ahead of the bottleneck.
struct DelayFigures: Sendable {
    private let delay: Int64
    private let jitter: Int64
    /// Quantiles of the jitter, as `DelayTable` has them; empty where it is uniform.
    private let table: [Int16]
    /// Whether a packet reaches the bottleneck no earlier than the one before it.
    let isOrdered: Bool

    init(delay: Duration?, jitter: Jitter?) {
        self.delay = max(delay ?? .zero, .zero).nanoseconds
        self.jitter = max(jitter?.amount ?? .zero, .zero).nanoseconds
        table = jitter.map { DelayTable.values(for: $0.distribution) } ?? []
        isOrdered = jitter?.ordered ?? true
    }

    /// The delay of the packet with this number, as tabledist in sch_netem.c has it; one below zero is zero.
    @inline(__always)
    func delay(of order: UInt64, _ streams: RandomStreams) -> Int64 {
        guard jitter > 0 else { return delay }
        let random = SplitMix64.value(seed: streams.jitter, index: order)
        guard !table.isEmpty else {
            // From delay - jitter up to but without delay + jitter.
            let offset = UInt64(2 * jitter).multipliedFullWidth(by: random).high
            return max(delay - jitter + Int64(offset), 0)
        }
        let product = jitter * Int64(table[Int(random >> (64 - DelayTable.indexBits))])
        let half = product < 0 ? -DelayTable.unit / 2 : DelayTable.unit / 2
        return max(delay + (product + half) / DelayTable.unit, 0)
    }
}
