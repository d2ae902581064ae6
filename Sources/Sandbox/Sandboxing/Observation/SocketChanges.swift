// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Decides whether a sample of a network's sockets can show anything new.
///
/// For a sample, the kernel walks the table of TCP sockets twice. If the sandbox shares the machine's table, that takes
/// 7 to 11 ms with 262,144 buckets, however few sockets the network has. To read the network's counters takes 20 us.
struct SocketChanges {
    private var counters: ConnectionCounters?
    /// The number of times in a row that the counters were the same.
    private var repetitions = 0
    /// Whether the last sample found only established connections whose processes were all looked up. For other
    /// sockets, the counters miss changes: an attempt that ends, a connection that is half closed, or a process that
    /// accepts one.
    private var isSteady = false

    /// Stores the counters from before a sample; nil if they are unknown.
    ///
    /// - Returns: whether the sockets may have changed since the last sample.
    mutating func areLikely(_ new: ConnectionCounters?) -> Bool {
        repetitions = new != nil && new == counters ? repetitions + 1 : 0
        counters = new
        // The kernel counts a change before it makes the change: the counters must have been the same before the last
        // sample, too.
        isSteady = isSteady && repetitions >= 2
        return !isSteady
    }

    /// Stores whether a sample has found only established connections, whose processes were all looked up.
    mutating func note(_ entries: [SocketTable.Entry], areOwnersKnown: Bool) {
        isSteady = areOwnersKnown && entries.allSatisfy { $0.state == .established && $0.inode != 0 }
    }
}
