// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Netlink
import Reachability

/// Detects changes of the conditions on this network's links. For use by one thread.
///
/// A change of a rule creates, deletes or renames the alias of a lane's device, of which the kernel notifies. Schedules
/// change the conditions in a pump without a notification, so with a pump the conditions are also read once a second.
struct ConditionsWatcher {
    /// When to read after a notification: a device's alias is written before its qdiscs, and a pump gets its conditions
    /// last.
    private static let delays: [Duration] = [.milliseconds(20), .milliseconds(250), .seconds(1)]
    private static let pumpInterval = Duration.seconds(1)

    private let reader: ConditionsReader
    private let notifications: RouteMonitor
    private var latest: ConditionsReader.Reading
    /// The scheduled times of the next readings, earliest first.
    private var readings: [ContinuousClock.Instant] = []

    /// Subscribes to notifications in this process's network namespace, and reads the current conditions.
    init() throws(NetlinkError) {
        notifications = try RouteMonitor()
        reader = try ConditionsReader()
        latest = reader.read()
        if latest.hasPump { readings = [.now + Self.pumpInterval] }
    }

    var context: LinkContext { latest.context }

    /// Readable when the kernel has notified of a change of links, addresses or routes.
    var descriptor: CInt { notifications.descriptor }

    /// When to call `change` even without a notification; nil for never.
    var deadline: ContinuousClock.Instant? { readings.first }

    /// Receives the notifications, and reads the conditions if that is due; returns the conditions if they have
    /// changed, else nil.
    mutating func change() -> LinkContext? {
        let now = ContinuousClock.now
        if hasNotification() { readings = Self.delays.map { now + $0 } }
        guard let due = readings.first, due <= now else { return nil }
        readings.removeAll { $0 <= now }
        let before = latest.context
        latest = reader.read()
        if latest.hasPump, readings.isEmpty { readings = [now + Self.pumpInterval] }
        return latest.context == before ? nil : latest.context
    }

    /// Receives all waiting notifications; returns whether one of them may mean that the conditions have changed.
    private func hasNotification() -> Bool {
        var isRelevant = false
        while true {
            switch Result(catching: { () throws(NetlinkError) in try notifications.receive() }) {
            case .success(.nothing): return isRelevant
            case .success(.overrun): isRelevant = true
            case .failure: return true
            case .success(.notifications(let all)):
                for notification in all {
                    switch notification {
                    case .link(let status): isRelevant = isRelevant || LaneDevices.contains(status.link)
                    // For a deleted device, the notification does not show whether it was a lane's.
                    case .linkGone: isRelevant = true
                    default: break
                    }
                }
            }
        }
    }
}
