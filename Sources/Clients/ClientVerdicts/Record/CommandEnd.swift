// SPDX-License-Identifier: Apache-2.0

/// How a command ended.
public enum CommandEnd: Hashable, Sendable {
    /// It exited with this status.
    case exited(Int32)
    /// It was killed by this signal.
    case killed(Int32)
    /// It exceeded its time limit.
    case timedOut
    /// It was ended since an expectation could no longer hold.
    case failedFast
    /// It could not be executed, with this errno, which tells whether it was found; nil in a report that was read back.
    case notStarted(Int32?)
}
