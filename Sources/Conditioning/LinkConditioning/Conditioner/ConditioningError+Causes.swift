// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

extension ConditioningError {
    /// Converts a failure to read or write the journal.
    init(journal error: SystemError) {
        self.init(
            .journal,
            "no journal can be kept: \(error)",
            remedy: error.code == ENOSPC
                ? Remedy(.moveJournal, "free space on that file system") : Remedy(.moveJournal)
        )
    }

    /// Converts a failure to read the journal or an entry, whose contents are therefore unknown.
    init(reading error: SystemError) {
        self.init(
            .journal,
            "the journal cannot be read: \(error)",
            remedy: Remedy(.repeatOrReset)
        )
    }

    /// Converts a failure to delete or replace the entry of conditions that have been removed.
    init(outdated error: SystemError) {
        self.init(
            .journal,
            "the conditions are removed, but their journal entry stays: \(error)",
            remedy: Remedy(.repeatReset)
        )
    }

    /// Joins several errors; nil for an empty array. The code is the first error's.
    public init?(_ failures: [ConditioningError]) {
        guard var failure = failures.first else { return nil }
        failure.message = failures.map(\.message).joined(separator: "\n")
        self = failure
    }
}

/// Runs `body`, which writes the journal, and converts its failure to a `ConditioningError`.
func recorded(_ body: @autoclosure () throws(SystemError) -> Void) throws(ConditioningError) {
    do {
        try body()
    } catch {
        throw ConditioningError(journal: error)
    }
}

/// Returns the value that `body` reads from the journal, and converts a failure to a `ConditioningError`.
func journalAnswer<Answer>(_ body: @autoclosure () throws(SystemError) -> Answer) throws(ConditioningError) -> Answer {
    do {
        return try body()
    } catch {
        throw ConditioningError(reading: error)
    }
}

/// Returns the value that `body` requests from the kernel, and converts a failure to a `ConditioningError`.
func kernelAnswer<Answer>(_ body: @autoclosure () throws(NetlinkError) -> Answer) throws(ConditioningError) -> Answer {
    do {
        return try body()
    } catch {
        throw ConditioningError(error)
    }
}
