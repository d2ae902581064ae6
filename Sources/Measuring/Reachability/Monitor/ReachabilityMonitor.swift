// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LocalNetwork
public import Netlink
internal import Synchronization

/// Watches targets from this process, and reports their state, its reason, and since when it holds.
///
/// All subscriptions to a target share its probes. Targets without subscription or query are not probed. The monitor
/// belongs to the network namespace of the thread that makes it.
///
/// ```swift
/// for await event in ReachabilityMonitor.shared.events(of: [try Target("https://example.org")]) {
///     print(event.status?.state, event.status?.reason)  // the first event has the present status
/// }
/// ```
public final class ReachabilityMonitor: Sendable {
    /// The monitor that all parts of the process may share.
    public static let shared = ReachabilityMonitor()

    /// The policy by which evidence becomes a verdict.
    public let policy: Policy
    let state: Mutex<MonitorState>
    private let prober: any Prober
    private let resolver: Resolver
    private let pacer = Pacer()
    private let handler = EventHandler()

    /// Makes a monitor; it sends nothing before a target is watched or asked about.
    ///
    /// - Parameters:
    ///   - policy: How evidence becomes a verdict.
    ///   - prober: What sends the probes; nil for sockets of this process.
    ///   - isOwnDevice: Whether the caller made this device itself, so that it is not reported as a link of this host.
    public convenience init(
        policy: Policy = Policy(),
        prober: (any Prober)? = nil,
        isOwnDevice: @escaping @Sendable (Link) -> Bool = { _ in false }
    ) {
        self.init(policy: policy, prober: prober, local: try? LocalWatcher(isOwnDevice: isOwnDevice))
    }

    init(policy: Policy, prober: (any Prober)?, resolver: Resolver? = nil, local: LocalWatcher?) {
        self.policy = policy
        let prober = prober ?? SocketProber()
        self.prober = prober
        self.resolver = resolver ?? Resolver(prober)
        state = Mutex(MonitorState(policy, local))
        local?.observe { [weak self] update in self?.localChanged(update) }
        pacer.start { [weak self] in self?.proceed() }
    }

    deinit { shutDown() }

    /// Events of these targets, beginning with the status of each, and of this host's links.
    ///
    /// - Parameters:
    ///   - targets: What to watch.
    ///   - samples: Whether each probe is an event, too.
    ///   - limit: How many events wait for a slow reader before the oldest are dropped, and counted.
    public func events(of targets: [Target], samples: Bool = false, limit: Int = 4096) -> Events {
        Events(monitor: self, targets: targets, wantsSamples: samples, limit: limit)
    }

    /// Events of all watched targets.
    public var events: Events { Events(monitor: self, targets: nil, wantsSamples: false, limit: 4096) }

    /// The present status of a target, without waiting. The target is probed for three minutes after the query; before
    /// the first result its state is unknown.
    public func status(of target: Target) -> Status {
        let status = change { state, now in state.query(target, now) }
        pacer.wake()
        return status
    }

    /// The status of a target with its first verdict, or after `limit`.
    public func firstStatus(of target: Target, within limit: Duration) async -> Status {
        await withTaskGroup(of: Status?.self) { group in
            group.addTask {
                for await event in self.events(of: [target]) {
                    if let status = event.status, status.state != .unknown { return status }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let status = await group.next() ?? nil
            group.cancelAll()
            return status ?? self.status(of: target)
        }
    }

    /// Runs `body` with the events of these targets. Its subscriptions end when it returns.
    public func withEvents<Value: Sendable>(
        of targets: [Target],
        _ body: @Sendable (Events) async throws -> Value
    ) async rethrows -> Value {
        try await body(events(of: targets))
    }

    /// Calls `handler` with the status and then each event of all watched targets, in order; nil removes the handler.
    /// It replaces the previous handler, which is not called after this returns. A handler keeps the monitor alive.
    public func setHandler(_ handler: (@Sendable (Event) -> Void)?) {
        if let handler {
            self.handler.set(handler, subscribe(to: nil, wantsSamples: false, limit: 4096))
        } else {
            self.handler.clear()
        }
    }

    /// Tells the monitor what the kernel does not say about this host's links, such as the conditions on them. A
    /// difference from before makes it probe all targets at once.
    ///
    /// - Parameter context: Everything that is known now; it replaces what was known.
    public func pathConditionsChanged(to context: LinkContext) {
        state.withLock { $0.change(to: context) }
        pacer.wake()
    }

    /// Ends every subscription and every probe.
    public func shutDown() {
        pacer.stop()
        self.handler.clear()
        let local = state.withLock { state in
            state.end(now)
            return state.local
        }
        local?.stop()
    }

    /// Subscribes to events of these targets, nil for all; until the result is released, which keeps the monitor.
    func subscribe(to targets: [Target]?, wantsSamples: Bool, limit: Int) -> ActiveSubscription<Event> {
        let subscription = change { state, now in
            state.join(targets, wantsSamples: wantsSamples, limit: limit, now)
        }
        pacer.wake()
        return ActiveSubscription(subscription) { self.state.withLock { $0.leave(subscription, self.now) } }
    }

    private var now: Duration { .nanoseconds(lc_monotonic_time()) }

    /// Does what is due; gives how long there is nothing to do.
    private func proceed() -> Duration? {
        change(wakes: false) { state, now in state.proceed(now) }
    }

    private func localChanged(_ update: LocalUpdate) {
        state.withLock { $0.localChanged(update) }
        pacer.wake()
    }

    /// Changes the state, and then sends what follows from it: without the lock, since answers may come at once.
    @discardableResult
    private func change<Value>(wakes: Bool = true, _ body: (inout MonitorState, Duration) -> Value) -> Value {
        var (requests, time) = (Requests(), Duration.zero)
        let value = state.withLock { state in
            // Read under the lock, so that time never runs backwards in the state.
            time = now
            let value = body(&state, time)
            swap(&state.requests, &requests)
            return value
        }
        send(requests, time)
        if wakes, requests.wantsTurn { pacer.wake() }
        return value
    }

    private func send(_ requests: Requests, _ sent: Duration) {
        for (entry, question, host) in requests.names {
            resolver.resolve(host, timeout: policy.resolveTimeout) { [weak self] resolution in
                self?.change { state, now in state.resolved(entry, question, resolution, now) }
            }
        }
        for (timeout, orders) in Dictionary(grouping: requests.probes, by: \.timeout) {
            prober.start(batch: orders.map(\.probe), timeout: timeout) { [weak self] index, observation in
                self?.change { state, now in state.observed(orders[index], observation, sentAt: sent, now) }
            }
        }
    }
}
