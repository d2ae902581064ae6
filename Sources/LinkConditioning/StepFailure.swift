// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// Why one step of a plan could not be done.
enum StepFailure: Error {
    /// The kernel's answer.
    case kernel(NetlinkError)
    /// A pump's answer, or its silence.
    case pump(PumpFailure)

    /// For the user.
    var words: ConditioningError {
        switch self {
        case .kernel(let error): ConditioningError(error)
        case .pump(let failure): failure.words
        }
    }

    /// Whether what was to be taken away is gone already: with its device, or by somebody's hand.
    var isAbsence: Bool {
        switch self {
        case .kernel(let error):
            // The last is "Parent Qdisc doesn't exists": a filter whose hook is gone.
            error.code == ENOENT || error.code == ENODEV
                || error.code == EINVAL && error.operation.hasPrefix("delete filter")
        case .pump(let failure): failure == .gone
        }
    }
}
