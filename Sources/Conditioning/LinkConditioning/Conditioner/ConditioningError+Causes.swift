// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

extension ConditioningError {
    /// Makes an error of a failure to read or write the journal.
    init(journal error: SystemError) {
        self.init(
            .journal,
            "no journal can be kept: \(error)",
            remedy: error.code == ENOSPC
                ? Remedy(.moveJournal, "free space on that file system") : Remedy(.moveJournal)
        )
    }

    /// Makes an error of a journal, or an entry, that cannot be read. What it holds is not known then.
    init(reading error: SystemError) {
        self.init(
            .journal,
            "the journal cannot be read: \(error)",
            remedy: Remedy(.repeatOrReset)
        )
    }

    /// Makes an error of a failure to delete or replace an entry whose conditions are removed.
    init(outdated error: SystemError) {
        self.init(
            .journal,
            "the conditions are removed, but their journal entry stays: \(error)",
            remedy: Remedy(.repeatReset)
        )
    }

    /// Makes one error of several; nil of none. Its code is the first one's.
    public init?(_ failures: [ConditioningError]) {
        guard var failure = failures.first else { return nil }
        failure.message = failures.map(\.message).joined(separator: "\n")
        self = failure
    }
}

/// Does what `body` does with the journal, and throws a failure as an error of this module.
func recorded(_ body: @autoclosure () throws(SystemError) -> Void) throws(ConditioningError) {
    do {
        try body()
    } catch {
        throw ConditioningError(journal: error)
    }
}

/// Returns what `body` reads in the journal, and throws a failure as an error of this module.
func journalAnswer<Answer>(_ body: @autoclosure () throws(SystemError) -> Answer) throws(ConditioningError) -> Answer {
    do {
        return try body()
    } catch {
        throw ConditioningError(reading: error)
    }
}

/// Returns what `body` asks of the kernel, and throws its refusal as an error of this module.
func kernelAnswer<Answer>(_ body: @autoclosure () throws(NetlinkError) -> Answer) throws(ConditioningError) -> Answer {
    do {
        return try body()
    } catch {
        throw ConditioningError(error)
    }
}
