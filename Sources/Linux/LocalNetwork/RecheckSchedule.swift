// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The times to read a family's routes again that may have changed without a notification. Pure.
///
/// Soon, and once more later, since the kernel reports an interface's end before it removes the routes
/// (`__dev_notify_flags` in dev.c). Large tables are read less often.
struct RecheckSchedule: Hashable, Sendable {
    private static let soon = Duration.milliseconds(5)
    private static let later = Duration.milliseconds(150)
    /// The share of time that reading may take.
    private static let restFactor = 10

    private var due: [IPAddress.Family: [Duration]] = [:]
    private var rest = Duration.zero

    /// Schedules readings of these families.
    mutating func doubt(_ families: Set<IPAddress.Family>, at now: Duration) {
        for family in families {
            let first = due[family]?.first ?? .zero
            let isPending = first != .zero && first <= now + Self.soon
            due[family] = [isPending ? first : max(now + Self.soon, rest), max(now + Self.later, rest)]
        }
    }

    /// The families to read now, each of which counts as read.
    mutating func dequeueDue(at now: Duration) -> [IPAddress.Family] {
        let families = due.filter { $0.value.first.map { $0 <= now } ?? false }.keys
        for family in families {
            due[family]?.removeFirst()
            if due[family]?.isEmpty == true { due[family] = nil }
        }
        return families.sorted { $0.bitWidth < $1.bitWidth }
    }

    /// Records the duration of a reading.
    mutating func read(from start: Duration, to end: Duration) {
        rest = end + (end - start) * Self.restFactor
    }

    /// Clears the schedule after everything was read.
    mutating func clear() { due = [:] }

    var next: Duration? { due.values.compactMap(\.first).min() }
}
