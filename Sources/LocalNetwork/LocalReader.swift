// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The kernel's word on links, addresses and routes: notifications, and whole readings that agree with them. One
/// thread at a time may use it.
final class LocalReader {
    private let monitor: RouteMonitor
    private let connection: RouteConnection
    private(set) var table: LinkTable
    private var schedule = RecheckSchedule()
    /// When to read everything again, since that failed or was overtaken.
    private var resyncDue: Duration?

    /// Subscribes, and then reads everything.
    init(
        receiveBuffer: Int,
        isOwnDevice: @escaping @Sendable (Link) -> Bool,
        facts: @escaping @Sendable (LinkStatus) -> DeviceFacts
    ) throws(NetlinkError) {
        monitor = try RouteMonitor(receiveBuffer: receiveBuffer)
        connection = RouteConnection(try RouteSocket())
        table = LinkTable(isOwnDevice: isOwnDevice, facts: facts)
        for _ in 0..<Self.attempts {
            let dump = try LocalDump.read(connection)
            guard let notifications = try drain() else { continue }
            table.load(dump, notifications)
            return
        }
        // Somebody changes things faster than we read; what is missing comes with the next attempt.
        table.load(try LocalDump.read(connection), [])
        resyncDue = .zero
    }

    private static let attempts = 5
    private static let retryInterval = Duration.milliseconds(100)
    /// So that subscribers are told in between, however much comes in.
    private static let batch = 512

    /// Readable when the kernel has news.
    var descriptor: CInt { monitor.descriptor }

    /// When `read` has something to do whatever the descriptor says.
    var deadline: Duration? { [schedule.next, resyncDue].compactMap(\.self).min() }

    /// Reads what has come in, and what has to be read again.
    func read(now: () -> Duration) -> [LinkEvent] {
        var events: [LinkEvent] = []
        var hasOverrun = resyncDue.map { $0 <= now() } ?? false
        var count = 0
        // After the word of an overrun comes what the kernel had queued before it, which is in order, but older than
        // what a reading would give.
        reading: while count < Self.batch || hasOverrun {
            count += 1
            switch Result(catching: { () throws(NetlinkError) in try monitor.receive() }) {
            case .success(.nothing): break reading
            case .success(.notifications(let notifications)):
                for notification in notifications { events += table.apply(notification, at: now()) }
            case .success(.overrun): hasOverrun = true
            case .failure:
                hasOverrun = true
                break reading
            }
        }
        if hasOverrun { events += resynchronise(now: now) }
        schedule.doubt(table.takeDoubts(), at: now())
        for family in schedule.takeDue(at: now()) {
            let start = now()
            do throws(NetlinkError) {
                let routes = try connection.routes(family)
                events += table.replaceRoutes(of: family, with: routes, at: now())
            } catch {
                schedule.doubt([family], at: now())
            }
            schedule.read(from: start, to: now())
        }
        return events
    }

    /// Numbers events that do not come from the kernel's notifications.
    func events(_ changes: [LinkEvent.Change], at time: Duration) -> [LinkEvent] {
        table.events(changes, at: time)
    }

    private func resynchronise(now: () -> Duration) -> [LinkEvent] {
        do throws(NetlinkError) {
            for _ in 0..<Self.attempts {
                let dump = try LocalDump.read(connection)
                guard let notifications = try drain() else { continue }
                resyncDue = nil
                schedule.clear()
                return table.resynchronise(dump, notifications, at: now())
            }
        } catch {
            // Without memory, for example: there is nobody to tell, and it passes.
        }
        resyncDue = now() + Self.retryInterval
        return []
    }

    /// Every notification that waits; nil where some were lost.
    private func drain() throws(NetlinkError) -> [RouteMonitor.Notification]? {
        var all: [RouteMonitor.Notification] = []
        var isWhole = true
        while true {
            switch try monitor.receive() {
            case .nothing: return isWhole ? all : nil
            case .notifications(let notifications): all += notifications
            case .overrun: isWhole = false
            }
        }
    }
}

extension LocalDump {
    /// Reads everything, links first, as the rest refers to them.
    static func read(_ connection: RouteConnection) throws(NetlinkError) -> LocalDump {
        LocalDump(
            links: try connection.linkStatuses(),
            addresses: try connection.addresses(),
            routes: try connection.routes(.ipv4) + connection.routes(.ipv6)
        )
    }
}
