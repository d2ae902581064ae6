// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Why a step of a plan failed.
enum StepFailure: Error {
    /// The kernel refused it.
    case kernel(NetlinkError)
    /// The step's object does not exist: a step that deletes it is done.
    case absent(ConditioningError)
    /// A setting could not be written.
    case setting(SystemError)
    /// A pump refused or did not answer.
    case pump(PumpFailure)

    /// Classifies the kernel's error for `step`.
    init(_ error: NetlinkError, of step: KernelStep) {
        let isAbsent =
            switch (step, error.code) {
            case (_, ENOENT), (_, ENODEV): true
            // "Parent Qdisc doesn't exists": the filter's clsact has been deleted.
            case (.deleteFilter, EINVAL), (.deletePass, EINVAL): true
            default: false
            }
        self = isAbsent ? .absent(ConditioningError(error)) : .kernel(error)
    }

    /// The error for the user.
    var conditioningError: ConditioningError {
        switch self {
        case .kernel(let error): ConditioningError(error)
        case .absent(let error): error
        case .setting(let error):
            ConditioningError(NetlinkError(operation: error.operation, code: error.code))
        case .pump(let failure): failure.conditioningError
        }
    }

    /// Whether the object to delete does not exist.
    var isAbsence: Bool {
        switch self {
        case .absent: true
        case .kernel, .setting: false
        case .pump(let failure): failure == .gone
        }
    }
}
