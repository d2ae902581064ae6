// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// When the packets of one direction are due, and when they were sent, in nanoseconds.
package struct PacedSends: Sendable {
    package let traffic: ProbeTraffic
    /// The time at which each was due.
    package private(set) var due: [Int64] = []
    /// The time at which each was sent.
    package private(set) var sent: [Int64] = []
    /// The time at which to send again; `.max` for never.
    package private(set) var next: Int64

    /// How far it catches up: what a long stall has held up is not sent at once, since no link has a queue for it.
    private static let longestBacklog: Int64 = 50_000_000

    package init(_ traffic: ProbeTraffic, start: Int64) {
        self.traffic = traffic
        next = traffic.packets > 0 ? start : .max
        due.reserveCapacity(traffic.packets)
        sent.reserveCapacity(traffic.packets)
    }

    /// Removes the group that is sent now from those that are left.
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

    /// How long after its time each was sent, in nanoseconds.
    package var lateness: [Int64] { zip(due, sent).map { $1 - $0 } }
}
