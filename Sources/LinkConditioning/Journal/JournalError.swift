// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

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
}
