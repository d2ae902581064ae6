// SPDX-License-Identifier: Apache-2.0

/// The runs of a list that one process makes: all, or those of a shard.
package struct TrialSelection: Hashable, Sendable {
    package let list: TrialList
    /// The shard; nil for all runs.
    package let shard: Shard?
    /// The SHA-256 of the file with the durations by which the list was divided; nil if there was none.
    package let timings: String?
    /// The runs, in the order of the list.
    package let entries: [TrialList.Entry]

    /// Selects all runs.
    package init(_ list: TrialList) {
        (self.list, shard, timings, entries) = (list, nil, nil, (0..<list.count).map { list[$0] })
    }

    /// Selects the runs of a shard.
    package init(_ list: TrialList, _ shard: Shard, by assignment: ShardAssignment, timings: String? = nil) {
        (self.list, self.shard, self.timings) = (list, shard, timings)
        entries = assignment.indices(of: shard, in: list).map { list[$0] }
    }
}
