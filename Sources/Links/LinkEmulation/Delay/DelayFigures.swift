// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The delay and jitter of packets before the bottleneck.
struct DelayFigures: Sendable {
    private let delay: Int64
    private let jitter: Int64
    /// The quantiles of the jitter, as in `DelayTable`; empty if it is uniform.
    private let table: [Int16]
    /// Whether packets reach the bottleneck in the order of their arrival.
    let isOrdered: Bool

    init(delay: Duration?, jitter: Jitter?) {
        self.delay = max(delay ?? .zero, .zero).nanoseconds
        self.jitter = max(jitter?.amount ?? .zero, .zero).nanoseconds
        table = jitter.map { DelayTable.values(for: $0.distribution) } ?? []
        isOrdered = jitter?.ordered ?? true
    }

    /// Returns the delay of the packet with the random number at `index`, as by tabledist in sch_netem.c; at least zero.
    @inline(__always)
    func delay(drawing index: UInt64, _ streams: RandomStreams) -> Int64 {
        guard jitter > 0 else { return delay }
        let random = SplitMix64.value(seed: streams.jitter, index: index)
        guard !table.isEmpty else {
            // In delay - jitter ..< delay + jitter.
            let offset = UInt64(2 * jitter).multipliedFullWidth(by: random).high
            return max(delay - jitter + Int64(offset), 0)
        }
        let product = jitter * Int64(table[Int(random >> (64 - DelayTable.indexBits))])
        let half = product < 0 ? -DelayTable.unit / 2 : DelayTable.unit / 2
        return max(delay + (product + half) / DelayTable.unit, 0)
    }
}
