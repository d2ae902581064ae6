// SPDX-License-Identifier: Apache-2.0

import Netlink
import Reachability

/// Notices changes of the conditions on this network's links. For one thread.
///
/// A change of a rule makes, removes or describes a lane's device, of which the kernel notifies. Schedules change
/// conditions in a pump without a notification; so where a pump carries rules, they are read once a second too.
struct ConditionsWatcher {
    /// The alias is written before the queueing disciplines are, and a pump is told last.
    private static let delays: [Duration] = [.milliseconds(20), .milliseconds(250), .seconds(1)]
    private static let pumpInterval = Duration.seconds(1)

    private let reader: ConditionsReader
    private let notifications: RouteMonitor
    private var latest: ConditionsReader.Reading
    /// The times to read again, earliest first.
    private var readings: [ContinuousClock.Instant] = []

    /// Subscribes in this process's network, and reads the present conditions.
    init() throws(NetlinkError) {
        notifications = try RouteMonitor()
        reader = try ConditionsReader()
        latest = reader.read()
        if latest.hasPump { readings = [.now + Self.pumpInterval] }
    }

    var context: LinkContext { latest.context }

    /// Readable when the kernel has notified of a change of links, addresses or routes.
    var descriptor: CInt { notifications.descriptor }

    /// The time at which to call `change` even if no notification has arrived; nil for never.
    var deadline: ContinuousClock.Instant? { readings.first }

    /// Receives the notifications, reads the conditions where that is due, and returns them if they have changed.
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

    /// Whether one of the notifications that wait may mean other conditions.
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
                    // The name of a device that is gone is not known.
                    case .linkGone: isRelevant = true
                    default: break
                    }
                }
            }
        }
    }
}
