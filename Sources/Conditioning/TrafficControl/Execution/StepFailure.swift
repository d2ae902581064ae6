// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// The reason why a step of a plan failed.
struct StepFailure: Error {
    /// The error for the user.
    let reason: ConditioningError
    /// Whether the step failed because its object does not exist; a step that deletes the object then counts as done.
    let isAbsence: Bool

    /// Makes the failure of `step`, which the kernel refused.
    init(_ error: NetlinkError, of step: KernelStep) {
        reason = ConditioningError(error)
        isAbsence =
            switch (step, error.code) {
            case (_, ENOENT), (_, ENODEV): true
            // "Parent Qdisc doesn't exists": the filter's clsact has been deleted.
            case (.deleteFilter, EINVAL), (.deletePassFilter, EINVAL): true
            default: false
            }
    }

    /// Makes the failure of a setting that could not be written.
    init(_ error: SystemError) {
        reason = ConditioningError(NetlinkError(operation: error.operation, code: error.code))
        isAbsence = false
    }

    /// Makes the failure of a request that a pump refused or did not answer.
    init(_ failure: PumpFailure) {
        reason = failure.conditioningError
        isAbsence = failure == .gone
    }
}
