// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

extension ConditioningError {
    /// The journal could not be written or read.
    init(journal error: SystemError) {
        self.init(
            .journal,
            "the journal cannot be kept: \(error)",
            remedy: error.code == ENOSPC
                ? "make room on that file system, or: LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
                : "LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
        )
    }
}
