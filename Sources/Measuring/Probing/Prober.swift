// SPDX-License-Identifier: Apache-2.0

/// Asks targets.
public protocol Prober: Sendable {
    /// Starts probes together. `done` is called once for each, with its index in `batch`, on a thread of the prober's,
    /// which it must not hold up: at the latest when `timeout` has passed. Time in which the prober itself has no means
    /// to send is not the target's: it may come on top, at most once as much.
    ///
    /// - Returns: what ends all that are under way, without harm after their end.
    @discardableResult
    func start(batch: [Probe], timeout: Duration, done: @escaping @Sendable (Int, Observation) -> Void) -> ProbeHandle
}

extension Prober {
    /// Starts one probe.
    @discardableResult
    public func start(
        _ probe: Probe,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) -> ProbeHandle {
        start(batch: [probe], timeout: timeout) { done($1) }
    }
}

/// Probes under way.
public struct ProbeHandle: Sendable {
    /// Ends the probes; `done` is not called any more unless it already runs.
    public let cancel: @Sendable () -> Void

    /// Makes a handle.
    public init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}
