// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The schedule of one direction's packets: when each was due and when it was sent, in nanoseconds.
package struct PacedSends: Sendable {
    package let traffic: ProbeTraffic
    /// When each packet sent so far was due.
    package private(set) var due: [Int64] = []
    /// When each packet was sent.
    package private(set) var sent: [Int64] = []
    /// When the next group is due; `.max` after the last one.
    package private(set) var next: Int64

    /// The longest backlog that is sent at once, in nanoseconds. After a longer stall, the schedule is shifted, since
    /// no link's queue would hold the backlog.
    private static let longestBacklog: Int64 = 50_000_000

    package init(_ traffic: ProbeTraffic, start: Int64) {
        self.traffic = traffic
        next = traffic.packets > 0 ? start : .max
        due.reserveCapacity(traffic.packets)
        sent.reserveCapacity(traffic.packets)
    }

    /// Marks the next group as sent at `now`; returns the numbers of its packets.
    package mutating func dequeue(_ now: Int64) -> Range<Int> {
        let first = sent.count
        let count = min(traffic.group, traffic.packets - first)
        for _ in 0..<count {
            due.append(next)
            sent.append(now)
        }
        let following = max(next + traffic.interval.nanoseconds, now - Self.longestBacklog)
        next = first + count < traffic.packets ? following : .max
        return first..<first + count
    }

    /// How long after its due time each packet was sent, in nanoseconds.
    package var lateness: [Int64] { zip(due, sent).map { $1 - $0 } }
}
