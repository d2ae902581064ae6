// SPDX-License-Identifier: Apache-2.0

/// The outcome of a command.
public enum CommandEnd: Hashable, Sendable {
    /// The command exited with this status.
    case exited(Int32)
    /// The command was killed by this signal.
    case killed(Int32)
    /// The command exceeded its time limit.
    case timedOut
    /// The command was terminated because an expectation had failed.
    case failedFast
    /// The command could not be executed, with this errno; nil in a report that was read back.
    case notStarted(Int32?)
}
