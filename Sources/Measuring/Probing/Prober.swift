// SPDX-License-Identifier: Apache-2.0

/// Probes targets.
public protocol Prober: Sendable {
    /// Starts probes together. Calls `done` once for each, with its index in `batch`, on a thread of the prober, which
    /// `done` must not block; at the latest when `timeout` has passed. If the prober itself lacks the resources to
    /// send, up to one more timeout may be added.
    ///
    /// - Returns: a handle that cancels the probes still in progress; cancelling after their end has no effect.
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

/// Probes in progress.
public struct ProbeHandle: Sendable {
    /// Cancels the probes; `done` is not called any more, unless a call is already in progress.
    public let cancel: @Sendable () -> Void

    /// Makes a handle.
    public init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}
