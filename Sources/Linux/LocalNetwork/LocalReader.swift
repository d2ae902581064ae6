// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Reads links, addresses and routes from the kernel: notifications, and dumps consistent with them. For one thread at
/// a time.
final class LocalReader {
    private let monitor: RouteMonitor
    private let connection: RouteConnection
    private(set) var table: LinkTable
    private var schedule = RecheckSchedule()
    /// The time at which to repeat a failed reading of everything.
    private var resyncDue: Duration?

    /// Subscribes to notifications, then reads everything.
    init(
        receiveBuffer: Int,
        isOwnDevice: @escaping @Sendable (Link) -> Bool
    ) throws(NetlinkError) {
        monitor = try RouteMonitor(receiveBuffer: receiveBuffer)
        connection = RouteConnection(try RouteSocket())
        table = LinkTable(isOwnDevice: isOwnDevice)
        if let (dump, notifications) = try readEverything() {
            table.load(dump, notifications)
        } else {
            // This dump may be inconsistent; the resynchronisation that is due at once corrects it.
            table.load(try LocalDump.read(connection), [])
            resyncDue = .zero
        }
    }

    private static let attempts = 5
    private static let retryInterval = Duration.milliseconds(100)
    /// The maximum number of notifications to read before subscribers get an update.
    private static let batch = 512

    /// Readable when a notification is pending.
    var descriptor: CInt { monitor.descriptor }

    /// The time at which to call `read` even if the descriptor is not readable.
    var deadline: Duration? { [schedule.next, resyncDue].compactMap(\.self).min() }

    /// Reads pending notifications, and routes that may have changed without one.
    func read(now: () -> Duration) -> [LinkEvent] {
        var events: [LinkEvent] = []
        var hasOverrun = resyncDue.map { $0 <= now() } ?? false
        var count = 0
        // After an overrun the socket still returns notifications queued before it: in order, but older than a dump.
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
        schedule.doubt(table.dequeueDoubts(), at: now())
        for family in schedule.dequeueDue(at: now()) {
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

    /// Makes numbered events of changes that the kernel does not notify of.
    func events(_ changes: [LinkEvent.Change], at time: Duration) -> [LinkEvent] { table.events(changes, at: time) }

    private func resynchronise(now: () -> Duration) -> [LinkEvent] {
        // An error, such as a lack of memory, passes: try again later.
        guard let (dump, notifications) = try? readEverything() else {
            resyncDue = now() + Self.retryInterval
            return []
        }
        resyncDue = nil
        schedule.clear()
        return table.resynchronise(dump, notifications, at: now())
    }

    /// A dump, and the notifications since it started; nil if objects change faster than they are read.
    private func readEverything() throws(NetlinkError) -> (LocalDump, [RouteMonitor.Notification])? {
        for _ in 0..<Self.attempts {
            let dump = try LocalDump.read(connection)
            if let notifications = try drain() { return (dump, notifications) }
        }
        return nil
    }

    /// All pending notifications; nil if the kernel dropped some.
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
    /// Reads everything; links first, since addresses and routes refer to them.
    static func read(_ connection: RouteConnection) throws(NetlinkError) -> LocalDump {
        LocalDump(
            links: try connection.linkStatuses(),
            addresses: try connection.addresses(),
            routes: try connection.routes(.ipv4) + connection.routes(.ipv6)
        )
    }
}
