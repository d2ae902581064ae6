// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import LinuxSystem

/// The requests of a plan to the pumps that serve TAP devices. The executor does not know the pumps' processes.
public protocol PumpControl {
    /// Makes the pump that serves `tap` use other conditions from now on.
    func use(_ conditions: RecordedProfile, tap: String) throws(PumpFailure)

    /// Makes the pump that serves `tap` use the conditions before the last `use` again.
    func revert(tap: String) throws(PumpFailure)

    /// A descriptor of the `FilterWatchdog` of the pump that serves `tap`; the caller closes it.
    func watchdog(tap: String) throws(PumpFailure) -> Int32

    /// Waits until the pump that serves `tap` holds no packet from this device.
    ///
    /// - Parameter deadline: a time of `pace`.
    /// - Returns: the number of packets that the pump holds at the end of the wait; nil if the pump does not respond.
    func drain(tap: String, until deadline: Duration, _ pace: Pace) -> Int?
}

/// The reason why a pump did not carry out a request.
public enum PumpFailure: Error, Hashable, Sendable {
    /// The pump has ended.
    case gone
    /// The pump does not answer.
    case silent
    /// The pump refuses for this reason.
    case refused(String)

    /// The error for the user.
    public var conditioningError: ConditioningError {
        switch self {
        case .gone: ConditioningError(.refused, "the process that carried the conditions has ended")
        case .silent: ConditioningError(.refused, "the process that carries the conditions does not answer")
        case .refused(let reason): ConditioningError(.unsupported, reason)
        }
    }
}
