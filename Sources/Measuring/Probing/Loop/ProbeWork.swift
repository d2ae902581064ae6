// SPDX-License-Identifier: Apache-2.0

/// The work of a probe that has its own socket: processes events, and returns the next step.
protocol ProbeWork: AnyObject {
    /// The socket to watch; it may change from one step to the next.
    var descriptor: ProbeSocket? { get }
    /// Starts the work.
    ///
    /// - Parameter interface: the interface over which packets must leave; nil for any.
    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep
    /// Continues after the socket has become ready for `what` (lc_readable and so on).
    func proceed(_ what: Int, _ now: Int64) -> ProbeStep
    /// Continues at the time that the last step requested; if it throws, the probe ends with `nothing(resources)`.
    func wake(_ now: Int64) throws(SocketRefusal) -> ProbeStep
    /// The observation for a probe that times out.
    func timeOut() -> Observation
}

extension ProbeWork {
    func wake(_ now: Int64) -> ProbeStep { .stay }
    func timeOut() -> Observation { Observation(.failed(.blackHole)) }
}

/// The next step of a probe.
enum ProbeStep {
    /// Keeps waiting as before.
    case stay
    /// Waits until the socket is ready (lc_readable, lc_writable), or until this time on CLOCK_MONOTONIC.
    case wait(Int, until: Int64? = nil)
    /// Waits until this time on CLOCK_MONOTONIC.
    case sleep(until: Int64)
    /// Ends the probe with this observation.
    case end(Observation)
}
