// SPDX-License-Identifier: Apache-2.0

/// Why a pump did not do what it was asked.
enum PumpFailure: Error, Hashable {
    /// There is none.
    case gone
    /// It is there, and says nothing.
    case silent
    /// It says so itself.
    case refused(String)

    /// For the user.
    var words: ConditioningError {
        switch self {
        case .gone: ConditioningError(.refused, "the process that carried the conditions is gone")
        case .silent: ConditioningError(.refused, "the process that carries the conditions does not answer")
        case .refused(let reason): ConditioningError(.unsupported, reason)
        }
    }
}
