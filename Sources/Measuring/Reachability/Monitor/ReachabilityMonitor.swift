// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LocalNetwork
public import Netlink
internal import Synchronization

/// Watches targets from this process, and reports the state of each, the reason, and the time since when it holds.
///
/// All subscriptions to a target share its probes. Targets without a subscription or recent query are not probed. The
/// monitor uses the network namespace of the thread that creates it.
///
/// ```swift
/// for await event in ReachabilityMonitor.shared.events(of: [try Target("https://example.org")]) {
///     print(event.status?.state, event.status?.reason)  // the first event has the current status
/// }
/// ```
public final class ReachabilityMonitor: Sendable {
    /// A monitor for all parts of the process to share.
    public static let shared = ReachabilityMonitor()

    /// The policy by which evidence becomes a verdict.
    public let policy: Policy
    let state: Mutex<MonitorState>
    private let prober: any Prober
    private let resolver: Resolver
    private let pacer = Pacer()
    private let handler = EventHandler()

    /// Makes a monitor, which sends nothing until a target is watched or queried.
    ///
    /// - Parameters:
    ///   - policy: how evidence becomes a verdict.
    ///   - prober: sends the probes; nil for sockets of this process.
    ///   - isOwnDevice: whether the caller created this device itself, so that it is not reported as a link of this
    ///     host.
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

    /// The events of these targets, starting with the status of each, and of this host's links.
    ///
    /// - Parameters:
    ///   - targets: the targets to watch.
    ///   - samples: whether the result of each probe is an event, too.
    ///   - limit: the number of unread events beyond which the oldest are dropped and counted.
    public func events(of targets: [Target], samples: Bool = false, limit: Int = 4096) -> Events {
        Events(monitor: self, targets: targets, wantsSamples: samples, limit: limit)
    }

    /// The events of all watched targets.
    public var events: Events { Events(monitor: self, targets: nil, wantsSamples: false, limit: 4096) }

    /// Returns the current status of a target, without waiting: `unknown` before the first result. The target is probed
    /// for three minutes after the query.
    public func status(of target: Target) -> Status {
        let status = change { state, now in state.query(target, now) }
        pacer.wake()
        return status
    }

    /// Waits for the target's first verdict, or for `limit`; returns its status.
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

    /// Runs `body` with the events of these targets, and ends its subscriptions when it returns.
    public func withEvents<Value: Sendable>(
        of targets: [Target],
        _ body: @Sendable (Events) async throws -> Value
    ) async rethrows -> Value {
        try await body(events(of: targets))
    }

    /// Calls `handler` with the status of all watched targets, and then with each event, in order; nil removes the
    /// handler. The previous handler is not called any more after this returns. A handler keeps the monitor alive.
    public func setHandler(_ handler: (@Sendable (Event) -> Void)?) {
        if let handler {
            self.handler.set(handler, subscribe(to: nil, wantsSamples: false, limit: 4096))
        } else {
            self.handler.clear()
        }
    }

    /// Updates facts about this host's links that the kernel does not report, such as the conditions on them. If they
    /// differ from the previous ones, all targets are probed at once.
    ///
    /// - Parameter context: all facts; replaces the previous ones.
    public func pathConditionsChanged(to context: LinkContext) {
        state.withLock { $0.change(to: context) }
        pacer.wake()
    }

    /// Ends all subscriptions and probes.
    public func shutDown() {
        pacer.stop()
        self.handler.clear()
        let local = state.withLock { state in
            state.end(now)
            return state.local
        }
        local?.stop()
    }

    /// Subscribes to events of these targets, nil for all, until the result is released; the result keeps the monitor
    /// alive.
    func subscribe(to targets: [Target]?, wantsSamples: Bool, limit: Int) -> ActiveSubscription<Event> {
        let subscription = change { state, now in
            state.join(targets, wantsSamples: wantsSamples, limit: limit, now)
        }
        pacer.wake()
        return ActiveSubscription(subscription) { self.state.withLock { $0.leave(subscription, self.now) } }
    }

    private var now: Duration { .nanoseconds(lc_monotonic_time()) }

    /// Does the work that is due; returns the time until more is due, nil if none is scheduled.
    private func proceed() -> Duration? {
        change(wakes: false) { state, now in state.proceed(now) }
    }

    private func localChanged(_ update: LocalUpdate) {
        state.withLock { $0.localChanged(update) }
        pacer.wake()
    }

    /// Changes the state, and then sends the resulting requests: without the lock, since a prober may answer
    /// immediately.
    @discardableResult
    private func change<Value>(wakes: Bool = true, _ body: (inout MonitorState, Duration) -> Value) -> Value {
        var (requests, time) = (Requests(), Duration.zero)
        let value = state.withLock { state in
            // Read with the lock held, so that the state's time never runs backwards.
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
