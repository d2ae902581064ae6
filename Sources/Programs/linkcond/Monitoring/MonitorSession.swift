// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Netlink
import Reachability

/// One run of `linkcond monitor`: watches targets, prints events, and prints a summary at the end.
final class MonitorSession {
    enum Goal {
        /// Ends when each target has a verdict.
        case verdicts
        /// Ends when all targets are reachable, or after this time.
        case allReachable(within: Duration)
        /// Ends after this time; nil runs until a signal.
        case time(Duration?)

        /// The time after which the session ends at the latest; nil for no limit.
        var limit: Duration? {
            switch self {
            // Enough for name resolution, three lost probes and a TLS handshake.
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
    /// Where to record the verdicts if this monitor belongs to a run; nil otherwise.
    private let record: MonitorRecord?
    private let inbox: Mailbox<Inbox>
    /// The signals that end the monitor with a summary.
    private let signals: SignalQueue

    private static let frame = Duration.milliseconds(250)
    /// How long to wait, after a signal, for a reader that does not read the output.
    private static let outputTimeout = Duration.seconds(1)
    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]
    /// The number of targets above which the table has no curves, which need much memory.
    static let maximumCurves = 1000

    init(
        _ targets: [Target],
        _ policy: Policy,
        goal: Goal,
        style: EventPrinter.Style,
        record: MonitorRecord? = nil
    ) throws {
        do {
            // Created before any thread starts, so that these signals are blocked in every thread.
            signals = try SignalQueue(Self.endingSignals)
            inbox = try Mailbox(Inbox())
            output = try OutputQueue()
        } catch {
            throw Failure(.internalError, "cannot start the monitor: \(error)")
        }
        self.targets = targets
        self.goal = goal
        self.record = record
        // Recorded before the first probe is sent.
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

    func serveMetrics(at place: MetricsEndpoint) throws { metrics = try MetricsServer(results, at: place) }

    /// Runs until the goal is reached, a signal arrives, or output fails.
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
        // From here on, a signal ends the process as by default.
        SignalSet(Self.endingSignals).restoreDefault()
        if let code = output.failure { return Console.status(ofFailedWrite: code) }
        return hasReachedGoal(rows) ? 0 : 1
    }

    /// Waits until all output is written. If the reader does not read, waits until a signal arrives, and then for
    /// `outputTimeout`. A second signal is ignored, since timeout(1) sends each signal both to the process and to its
    /// group.
    private func flush(_ isInterrupted: Bool) {
        var deadline = isInterrupted ? ContinuousClock.now + Self.outputTimeout : nil
        while !output.isIdle, output.failure == nil {
            let left = deadline.map { max($0 - .now, .zero) }
            guard Wait.untilReadable([signals.descriptor, output.progress.descriptor], limit: left) else { return }
            output.progress.clear()
            if signals.next() != nil, deadline == nil { deadline = .now + Self.outputTimeout }
        }
    }

    /// Whether the goal is reached; prints the unreachable targets if `allReachable` is not.
    private func hasReachedGoal(_ rows: [TargetStatistics]) -> Bool {
        if case .time = goal { return true }
        let missing = rows.filter { !$0.status.isReachable }
        if case .allReachable(let limit) = goal, !missing.isEmpty {
            let list = missing.map { "\n  \($0.status.target): \($0.status.words)" }.joined()
            Console.failure("not reachable within \(limit.words):\(list)")
        }
        return missing.isEmpty
    }

    /// Waits for a signal, an event or a notification, at most until `time` or the next frame of the table.
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

/// The events that the session has not yet handled, and the number of events that did not fit.
private struct Inbox {
    private static let limit = 65_536

    private(set) var events: [Event] = []
    private(set) var lost = 0

    mutating func add(_ event: Event) {
        if events.count < Self.limit { events.append(event) } else { lost += 1 }
    }
}
