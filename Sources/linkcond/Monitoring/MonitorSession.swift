// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem
import Netlink
import Reachability

/// One run of `linkcond monitor`: watches targets, prints events, and prints a summary at the end.
final class MonitorSession {
    /// When it ends.
    enum Goal {
        /// When each target has a state.
        case verdicts
        /// When all targets are reachable, or after this time.
        case allReachable(within: Duration)
        /// After this time; nil for at a signal.
        case time(Duration?)
    }

    /// What it prints while it runs.
    enum Style: Equatable {
        /// A line of text per event.
        case lines
        /// A line of JSON per event.
        case json(samples: Bool)
        /// A table that is redrawn below the lines.
        case live
    }

    let results: ResultStore
    private let monitor: ReachabilityMonitor
    private let targets: [Target]
    private let goal: Goal
    private let style: Style
    private var conditions: ConditionsWatcher
    private let start = ContinuousClock.now
    /// Seconds since 1970 at zero of the events' clock.
    private let epoch: Double
    private var table = LiveTable()
    private let inbox: Mailbox<[Event]>
    /// The signals that end the command in good order.
    private let signals: SignalQueue

    private static let frame = Duration.milliseconds(250)
    /// Above this number of targets the table has no curves, which would need too much memory.
    static let mostCurves = 1000

    init(_ targets: [Target], _ policy: Policy, goal: Goal, style: Style) throws {
        do {
            // Before any thread starts, so that every thread has these signals blocked.
            signals = try SignalQueue([SIGINT, SIGTERM, SIGHUP])
            inbox = try Mailbox([])
        } catch {
            throw Failure(.internalError, "cannot wait for signals and events: \(error)")
        }
        self.targets = targets
        self.goal = goal
        self.style = style
        conditions = try ConditionsWatcher()
        monitor = ReachabilityMonitor(policy: policy, isOwnDevice: LaneDevices.contains)
        monitor.pathConditionsChanged(to: conditions.context)
        results = ResultStore()
        epoch = Double(lc_wall_time() - lc_monotonic_time()) / 1e9
        let wantsSamples = targets.count <= Self.mostCurves || style == .json(samples: true)
        let events = monitor.events(
            of: targets + policy.anchors.sorted { "\($0)" < "\($1)" },
            samples: wantsSamples,
            limit: 65536
        )
        let inbox = inbox
        Task.detached {
            for await event in events { inbox.send { $0.append(event) } }
        }
    }

    func serveMetrics(at place: MetricsPlace) throws {
        try MetricsServer(results).serve(at: place)
    }

    /// Runs until the goal is reached or a signal arrives.
    ///
    /// - Returns: false if the goal asks for reachable targets and one is not.
    func run() -> Bool {
        let deadline = start + (limit ?? .seconds(1_000_000_000))
        var isInterrupted = false
        while !isInterrupted, ContinuousClock.now < deadline {
            wait(until: min(deadline, conditions.deadline ?? deadline))
            isInterrupted = signals.next() != nil
            takeEvents()
            if let context = conditions.change() { monitor.pathConditionsChanged(to: context) }
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

    /// Waits for a signal, an event or a notification; until `time` at most, and a frame of the table at most.
    private func wait(until time: ContinuousClock.Instant) {
        Wait.untilReadable(
            [signals.descriptor, inbox.wakeup.descriptor, conditions.descriptor],
            limit: max(min(Self.frame, time - .now), .zero)
        )
    }

    private var limit: Duration? {
        switch goal {
        // Enough for name resolution, three lost probes and TLS.
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
        var events: [Event] = []
        inbox.take(&events)
        guard !events.isEmpty else { return }
        results.take(events)
        if style == .live, events.contains(where: { $0.words != nil && !$0.isConsequence }) { table.erase() }
        for event in events {
            switch style {
            case .json(let samples):
                if case .sample = event.kind, !samples { continue }
                Console.data(event.json(time: epoch + event.time / .seconds(1)).line)
            case .lines, .live:
                // Consequences are part of their cause's line.
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
