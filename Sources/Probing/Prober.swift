// SPDX-License-Identifier: Apache-2.0

/// Asks targets.
public protocol Prober: Sendable {
    /// Starts one probe. `done` is called once, on a thread of the prober's, which it must not hold up: at the latest
    /// when `timeout` has passed. Time in which the prober itself has no means to send is not the target's: it may come
    /// on top, at most once as much.
    ///
    /// - Returns: what ends the probe early, without harm after its end.
    @discardableResult
    func start(_ probe: Probe, timeout: Duration, done: @escaping @Sendable (Observation) -> Void) -> ProbeHandle

    /// Starts probes together, which may cost less; `done` is called once for each, with its place in `batch`.
    ///
    /// - Returns: what ends all that are under way.
    @discardableResult
    func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle
}

/// A probe under way.
public struct ProbeHandle: Sendable {
    /// Ends the probe; `done` is not called any more unless it already runs.
    public let cancel: @Sendable () -> Void

    /// Makes a handle.
    public init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}

extension Prober {
    /// Starts one after the other.
    @discardableResult
    public func start(
        batch: [Probe],
        timeout: Duration,
        done: @escaping @Sendable (Int, Observation) -> Void
    ) -> ProbeHandle {
        let handles = batch.enumerated().map { place, probe in start(probe, timeout: timeout) { done(place, $0) } }
        return ProbeHandle { for handle in handles { handle.cancel() } }
    }
}
