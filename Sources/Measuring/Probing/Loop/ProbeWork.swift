// SPDX-License-Identifier: Apache-2.0

/// The work of a probe on a socket of its own: it gets events, and says how to go on.
protocol ProbeWork: AnyObject {
    /// The descriptor to watch, which may change from one step to the next.
    var descriptor: ProbeSocket? { get }
    /// - Parameter interface: that the packets must leave over; nil for any.
    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep
    /// Goes on after `what` (lc_readable and so on) has become true of the descriptor.
    func proceed(_ what: Int, _ now: Int64) -> ProbeStep
    /// Goes on at the moment that it asked for; ends without a finding if it throws.
    func wake(_ now: Int64) throws(SocketRefusal) -> ProbeStep
    /// The observation if the time runs out.
    func timeOut() -> Observation
}

extension ProbeWork {
    func wake(_ now: Int64) -> ProbeStep { .stay }
    func timeOut() -> Observation { Observation(.failed(.blackHole)) }
}

/// How a probe goes on.
enum ProbeStep {
    /// The probe goes on as before.
    case stay
    /// When the descriptor is ready for this (lc_readable, lc_writable), or at this time of CLOCK_MONOTONIC.
    case wait(Int, until: Int64? = nil)
    /// The probe goes on at this time of CLOCK_MONOTONIC.
    case sleep(until: Int64)
    /// Not: this was seen.
    case end(Observation)
}
