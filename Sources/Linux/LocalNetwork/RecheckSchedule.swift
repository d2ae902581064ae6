// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The times to read again the routes of a family that may have changed without a notification. Pure.
///
/// Each doubt causes two readings, 5 ms and 150 ms later, since the kernel reports an interface's end before it removes
/// the routes (`__dev_notify_flags` in dev.c). Large tables are read less often.
struct RecheckSchedule: Hashable, Sendable {
    private static let soon = Duration.milliseconds(5)
    private static let later = Duration.milliseconds(150)
    /// The pause after a reading, as a multiple of the reading's duration.
    private static let restFactor = 10

    private var due: [IPAddress.Family: [Duration]] = [:]
    private var rest = Duration.zero

    /// Schedules readings of `families`.
    mutating func doubt(_ families: Set<IPAddress.Family>, at now: Duration) {
        for family in families {
            let first = due[family]?.first ?? .zero
            let isPending = first != .zero && first <= now + Self.soon
            due[family] = [isPending ? first : max(now + Self.soon, rest), max(now + Self.later, rest)]
        }
    }

    /// Returns the families to read now, and removes these readings from the schedule.
    mutating func dequeueDue(at now: Duration) -> [IPAddress.Family] {
        let families = due.filter { $0.value.first.map { $0 <= now } ?? false }.keys
        for family in families {
            due[family]?.removeFirst()
            if due[family]?.isEmpty == true { due[family] = nil }
        }
        return families.sorted { $0.bitWidth < $1.bitWidth }
    }

    /// Records the duration of a reading, after which to pause.
    mutating func read(from start: Duration, to end: Duration) {
        rest = end + (end - start) * Self.restFactor
    }

    /// Clears the schedule after everything was read.
    mutating func clear() { due = [:] }

    var next: Duration? { due.values.compactMap(\.first).min() }
}
