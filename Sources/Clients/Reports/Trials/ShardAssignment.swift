// SPDX-License-Identifier: Apache-2.0

internal import HeapModule

/// The division of a list of trials among shards, which all shards compute alike.
package struct ShardAssignment {
    /// What a run is known by from one list to another.
    package struct Run: Hashable, Sendable {
        package let network: String
        package let number: Int

        package init(network: String, number: Int) { (self.network, self.number) = (network, number) }
    }

    /// The durations of runs; nil to divide by the index.
    let durations: [Run: Duration]?

    /// Gives each shard every N-th trial.
    package init() { durations = nil }

    /// Gives the shards trials of about the same total duration: the longest first, each to the shard that has the
    /// least so far. Then the largest total is at most 4/3 of the smallest possible (Graham 1969).
    package init(durations: [Run: Duration]) { self.durations = durations }

    /// The indices of the trials that fall to `shard`, in order.
    package func indices(of shard: Shard, in list: TrialList) -> [Int] {
        guard let durations else { return Array(stride(from: shard.number - 1, to: list.count, by: shard.count)) }
        let expected = Self.expected(durations, in: list)
        let longestFirst = expected.indices.sorted { (expected[$1], $0) < (expected[$0], $1) }
        var loads = Heap((1...shard.count).map { Load(shard: $0) })
        var indices: [Int] = []
        for index in longestFirst {
            guard var load = loads.popMin() else { break }
            if load.shard == shard.number { indices.append(index) }
            load.total += expected[index]
            load.count += 1
            loads.insert(load)
        }
        return indices.sorted()
    }

    /// The duration of each trial. One without a duration is expected to take as long as its network's others on
    /// average; if there are none, as all.
    static func expected(_ durations: [Run: Duration], in list: TrialList) -> [Duration] {
        let known = (0..<list.count).map { index in
            let entry = list[index]
            return durations[Run(network: list.networks[entry.network].name, number: entry.number)]
        }
        let all = mean(known[...]) ?? .zero
        return list.networks.indices.flatMap { network in
            let own = known[(network * list.repetitions)...].prefix(list.repetitions)
            let usual = mean(own) ?? all
            return own.map { $0 ?? usual }
        }
    }

    private static func mean(_ durations: ArraySlice<Duration?>) -> Duration? {
        let known = durations.compactMap { $0 }
        return known.isEmpty ? nil : known.reduce(.zero, +) / known.count
    }

    /// What a shard has to run so far.
    private struct Load: Comparable {
        var total = Duration.zero
        var count = 0
        let shard: Int

        init(shard: Int) { self.shard = shard }

        /// Of equal loads, that with fewer trials is less: trials without a duration do not all fall to one shard.
        static func < (one: Load, other: Load) -> Bool {
            (one.total, one.count, one.shard) < (other.total, other.count, other.shard)
        }
    }
}
