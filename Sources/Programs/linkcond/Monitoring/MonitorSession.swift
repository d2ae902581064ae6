// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem
import Netlink
import Reachability

/// One run of `linkcond monitor`: watches targets, prints events, and prints a summary at the end.
final class MonitorSession {
    enum Goal {
        /// Once each target has a state.
        case verdicts
        /// Once all targets are reachable, or after this time.
        case allReachable(within: Duration)
        /// After this time; nil for at a signal.
        case time(Duration?)

        /// The time after which it ends at the latest.
        var limit: Duration? {
            switch self {
            // Enough for name resolution, three lost probes and TLS.
            case .verdicts: .seconds(30)
            case .allReachable(let limit): limit
            case .time(let limit): limit
            }
        }
    }

    private let results = ResultStore()
    private let monitor: ReachabilityMonitor
    private let targets: [Target]
    private let goal: Goal
    private let style: EventPrinter.Style
    private var conditions: ConditionsWatcher
    private let start = ContinuousClock.now
    private let output: OutputQueue
    private var printer: EventPrinter
    private var metrics: MetricsServer?
    /// The record of the verdicts, for the run that this monitor belongs to.
    private let record: MonitorRecord?
    private let inbox: Mailbox<Inbox>
    /// The signals that end the command in good order.
    private let signals: SignalQueue

    private static let frame = Duration.milliseconds(250)
    /// The time to wait after a signal for output that is not read.
    private static let outputTimeout = Duration.seconds(1)
    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]
    /// Above this number of targets the table has no curves, which would need too much memory.
    static let maximumCurves = 1000

    init(
        _ targets: [Target],
        _ policy: Policy,
        goal: Goal,
        style: EventPrinter.Style,
        record: MonitorRecord? = nil
    ) throws {
        do {
            // Before any thread starts, so that every thread has these signals blocked.
            signals = try SignalQueue(Self.endingSignals)
            inbox = try Mailbox(Inbox())
            output = try OutputQueue()
        } catch {
            throw Failure(.internalError, "cannot start the monitor: \(error)")
        }
        self.targets = targets
        self.goal = goal
        self.record = record
        // Before the first probe.
        record?.begin(targets)
        self.style = style
        conditions = try ConditionsWatcher()
        monitor = ReachabilityMonitor(policy: policy, isOwnDevice: LaneDevices.contains)
        monitor.pathConditionsChanged(to: conditions.context)
        let isQuiet = if case .time = goal { false } else { true }
        printer = EventPrinter(
            output,
            style,
            isQuiet: isQuiet,
            epoch: { Double(lc_wall_time() - lc_monotonic_time()) / 1e9 }
        )
        let wantsSamples = targets.count <= Self.maximumCurves || style == .json(samples: true)
        let events = monitor.events(
            of: targets + policy.anchors.sorted { "\($0)" < "\($1)" },
            samples: wantsSamples,
            limit: 65536
        )
        let inbox = inbox
        Task.detached {
            for await event in events { inbox.send { $0.add(event) } }
        }
    }

    func serveMetrics(at place: MetricsPlace) throws { metrics = try MetricsServer(results, at: place) }

    /// Runs until the goal is reached, a signal arrives, or nothing can be written any more.
    ///
    /// - Returns: the exit status.
    func run() -> CInt {
        let deadline = start + (goal.limit ?? .seconds(1_000_000_000))
        var isInterrupted = false
        while !isInterrupted, output.failure == nil, ContinuousClock.now < deadline {
            wait(until: min(deadline, conditions.deadline ?? deadline))
            isInterrupted = signals.next() != nil
            handleEvents()
            if let context = conditions.change() { monitor.pathConditionsChanged(to: context) }
            let rows = results.rows(targets)
            printer.draw(rows)
            if isDone(rows) { break }
        }
        metrics?.close()
        handleEvents()
        let rows = results.rows(targets)
        switch (goal, style) {
        case (.verdicts, .lines): printer.finish(TargetTable.current(rows, hasCurve: false))
        case (.time, .lines), (.time, .live):
            let now = Duration.nanoseconds(lc_monotonic_time())
            printer.finish(TargetTable.summary(rows, after: ContinuousClock.now - start, until: now))
        default: printer.finish([])
        }
        flush(isInterrupted)
        // From here on, a signal ends the process as usual.
        SignalSet(Self.endingSignals).restoreDefault()
        if let code = output.failure { return Console.status(ofFailedWrite: code) }
        return hasReachedGoal(rows) ? 0 : 1
    }

    /// Waits until everything is written. A reader that does not read is waited for until a signal arrives, and for a
    /// moment after it: a second signal changes nothing, since timeout(1) sends each to the process and to its group.
    private func flush(_ isInterrupted: Bool) {
        var deadline = isInterrupted ? ContinuousClock.now + Self.outputTimeout : nil
        while !output.isIdle, output.failure == nil {
            let left = deadline.map { max($0 - .now, .zero) }
            guard Wait.untilReadable([signals.descriptor, output.progress.descriptor], limit: left) else { return }
            output.progress.clear()
            if signals.next() != nil, deadline == nil { deadline = .now + Self.outputTimeout }
        }
    }

    /// Whether all targets can be reached, where that was the goal; if not, says which.
    private func hasReachedGoal(_ rows: [TargetStatistics]) -> Bool {
        if case .time = goal { return true }
        let missing = rows.filter { !$0.status.isReachable }
        if case .allReachable(let limit) = goal, !missing.isEmpty {
            let list = missing.map { "\n  \($0.status.target): \($0.status.words)" }.joined()
            Console.failure("not reachable within \(limit.words):\(list)")
        }
        return missing.isEmpty
    }

    /// Waits for a signal, an event or a notification; until `time` at most, and a frame of the table at most.
    private func wait(until time: ContinuousClock.Instant) {
        Wait.untilReadable(
            [signals.descriptor, inbox.wakeup.descriptor, conditions.descriptor],
            limit: max(min(Self.frame, time - .now), .zero)
        )
    }

    private func isDone(_ rows: [TargetStatistics]) -> Bool {
        guard rows.count == targets.count else { return false }
        return switch goal {
        case .verdicts: rows.allSatisfy { $0.status.state != .unknown || $0.status.reason?.scope == .monitor }
        case .allReachable: rows.allSatisfy(\.status.isReachable)
        case .time: false
        }
    }

    private func handleEvents() {
        var arrived = Inbox()
        inbox.dequeue(into: &arrived)
        results.add(arrived.events)
        record?.add(arrived.events)
        printer.print(arrived.events, lost: arrived.lost)
    }
}

/// Events that this session has not handled yet, and how many did not fit.
private struct Inbox {
    private static let limit = 65_536

    private(set) var events: [Event] = []
    private(set) var lost = 0

    mutating func add(_ event: Event) {
        if events.count < Self.limit { events.append(event) } else { lost += 1 }
    }
}
