// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Whether a look at the sockets of a network can show anything new.
///
/// For a look, the kernel walks the table of TCP sockets twice. Where the sandbox has none of its own, that is made for all
/// sockets of the machine: 7 to 11 ms with 262,144 buckets, whatever the network has. Its counters take 20 us.
struct SocketChanges {
    private var counters: ConnectionCounters?
    /// The number of times in a row that the counters were the same.
    private var repetitions = 0
    /// Whether the last look found established connections alone, each with a process that was looked for. Of others
    /// the counters do not tell every change: of one whose attempt ends, that half of it is closed, or who accepts it.
    private var isSteady = false

    /// Notes the counters as they are before a look; nil if they are not known.
    ///
    /// - Returns: whether the sockets may have changed since the last look.
    mutating func areLikely(_ new: ConnectionCounters?) -> Bool {
        repetitions = new != nil && new == counters ? repetitions + 1 : 0
        counters = new
        // The kernel counts a change just before it is made: the counters must have stood still before the last look, too.
        isSteady = isSteady && repetitions >= 2
        return !isSteady
    }

    /// Notes what a look has found, and whether the holders of all sockets have been looked for.
    mutating func note(_ entries: [SocketTable.Entry], areOwnersKnown: Bool) {
        isSteady = areOwnersKnown && entries.allSatisfy { $0.state == .established && $0.inode != 0 }
    }
}
