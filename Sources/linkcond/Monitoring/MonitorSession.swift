// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import Netlink
import Reachability
import Synchronization

/// One run of the monitor on the command line: watches, prints, and sums up.
final class MonitorSession {
    /// When it ends.
    enum Goal {
        /// When something is known of each target.
        case verdicts
        /// When all can be reached, or the time is over.
        case allReachable(within: Duration)
        /// When the time is over; nil for when somebody interrupts it.
        case time(Duration?)
    }

    /// What it prints on the way.
    enum Style: Equatable {
        /// A line for people, an event.
        case lines
        /// A line of JSON, an event.
        case json(samples: Bool)
        /// A table that is drawn anew, below the lines.
        case live
    }

    let results: ResultStore
    private let monitor: ReachabilityMonitor
    private let targets: [Target]
    private let goal: Goal
    private let style: Style
    private let reader: ConditionsReader
    private let start = ContinuousClock.now
    /// What is to be added to the events' clock for seconds since 1970.
    private let epoch: Double
    private var table = LiveTable()
    private let inbox = Inbox()
    private let interruption: Interruption

    private static let frame = Duration.milliseconds(250)
    /// Of more targets, each one's curve would cost more memory than it is worth.
    static let mostCurves = 1000

    init(_ targets: [Target], _ policy: Policy, goal: Goal, style: Style) throws {
        // Before any thread is started, so that all of them leave these signals to this one.
        interruption = try Interruption()
        self.targets = targets
        self.goal = goal
        self.style = style
        reader = try ConditionsReader()
        monitor = ReachabilityMonitor(policy: policy) { link in
            LaneDevices.contains(kind: link.kind, name: link.name, alias: link.alias)
        }
        monitor.context = reader.read()
        results = ResultStore()
        epoch = Double(lc_wall_time() - lc_monotonic_time()) / 1e9
        let wantsSamples = targets.count <= Self.mostCurves || style == .json(samples: true)
        let events = monitor.events(
            of: targets + policy.anchors.sorted { "\($0)" < "\($1)" },
            samples: wantsSamples,
            limit: 65536
        )
        let (inbox, interruption) = (inbox, interruption)
        Task.detached {
            for await event in events where inbox.put(event) { interruption.wake() }
        }
    }

    func serveMetrics(at place: MetricsPlace) throws {
        try MetricsServer(results).serve(at: place)
    }

    /// Watches to the end.
    ///
    /// - Returns: whether all targets can be reached, where that was the question.
    func run() -> Bool {
        let deadline = start + (limit ?? .seconds(1_000_000_000))
        var isInterrupted = false
        while !isInterrupted, ContinuousClock.now < deadline {
            isInterrupted = interruption.wait(min(Self.frame, deadline - .now))
            takeEvents()
            monitor.context = reader.read()
            if style == .live { table.draw(results.rows(targets)) }
            if isDone { break }
        }
        takeEvents()
        if style == .live { table.erase() }
        let rows = results.rows(targets)
        switch goal {
        case .verdicts:
            if style == .lines { LiveTable.lines(rows, hasCurve: false).forEach(Console.data) }
            return rows.allSatisfy(\.status.isReachable)
        case .allReachable(let limit):
            let missing = rows.filter { !$0.status.isReachable }
            if !missing.isEmpty {
                let list = missing.map { "\n  \($0.status.target): \($0.status.words)" }.joined()
                Console.failure("not reachable within \(words(limit)):\(list)")
            }
            return missing.isEmpty
        case .time:
            if case .json = style { return true }
            Summary.lines(rows, after: ContinuousClock.now - start).forEach(Console.data)
            return true
        }
    }

    private var limit: Duration? {
        switch goal {
        // Resolution, three probes that are lost, and what TLS takes.
        case .verdicts: .seconds(30)
        case .allReachable(let limit): limit
        case .time(let limit): limit
        }
    }

    private var isDone: Bool {
        if case .time = goal { return false }
        let rows = results.rows(targets)
        guard rows.count == targets.count else { return false }
        switch goal {
        case .verdicts: return rows.allSatisfy { $0.status.state != .unknown || $0.status.reason?.scope == .monitor }
        case .allReachable: return rows.allSatisfy(\.status.isReachable)
        case .time: return false
        }
    }

    private func takeEvents() {
        let events = inbox.take()
        guard !events.isEmpty else { return }
        results.take(events)
        if style == .live, events.contains(where: { $0.words != nil && !$0.isConsequence }) { table.erase() }
        for event in events {
            switch style {
            case .json(let samples):
                if case .sample = event.kind, !samples { continue }
                Console.data(event.json(time: epoch + event.time / .seconds(1)).line)
            case .lines, .live:
                // What follows from a cause is told with it.
                guard !event.isConsequence, let words = event.words, !isQuiet else { continue }
                Console.data("\(Self.clock(epoch + event.time / .seconds(1))) \(words)")
            }
        }
    }

    private var isQuiet: Bool { if case .time = goal { false } else { true } }

    private static func clock(_ seconds: Double) -> String {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let fraction = Int((seconds - seconds.rounded(.down)) * 10)
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)"
    }
}

/// Events on their way to the main thread.
private final class Inbox: Sendable {
    private let events = Mutex<[Event]>([])

    /// Adds one; says whether it is the first there is to take.
    func put(_ event: Event) -> Bool {
        events.withLock { events in
            events.append(event)
            return events.count == 1
        }
    }

    func take() -> [Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
