// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Why a step of a plan could not be done.
enum StepFailure: Error {
    /// The kernel's refusal.
    case kernel(NetlinkError)
    /// The step's object does not exist: a step that takes it away has nothing left to do.
    case absent(ConditioningError)
    /// A setting that could not be written.
    case setting(SystemError)
    /// A pump's refusal or silence.
    case pump(PumpFailure)

    /// Sorts the kernel's refusal of `step`.
    init(_ error: NetlinkError, of step: KernelStep) {
        let isAbsent =
            switch (step, error.code) {
            case (_, ENOENT), (_, ENODEV): true
            // "Parent Qdisc doesn't exists": the hook of the filter is gone.
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

    /// Whether what was to be taken away does not exist.
    var isAbsence: Bool {
        switch self {
        case .absent: true
        case .kernel, .setting: false
        case .pump(let failure): failure == .gone
        }
    }
}
