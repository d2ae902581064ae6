// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import LinuxSystem

/// What a plan asks of the pumps that serve TAP devices. The executor of a plan knows no processes; its caller does.
public protocol PumpControl {
    /// Has the pump behind `tap` use other conditions from now on.
    func use(_ profile: Profile, tap: String) throws(PumpFailure)

    /// Has the pump behind `tap` use the conditions before the last `use` again.
    func revert(tap: String) throws(PumpFailure)

    /// Waits until the pump behind `tap` holds no packet that came to this device.
    ///
    /// - Returns: how many packets it holds at the deadline, by `pace`; nil if it does not answer.
    func drain(tap: String, until deadline: Duration, _ pace: Pace) -> Int?
}

/// Why a pump did not do what it was asked.
public enum PumpFailure: Error, Hashable, Sendable {
    /// There is no pump.
    case gone
    /// The pump does not answer.
    case silent
    /// The pump refuses, for this reason.
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
