// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps the pages of this process in memory, for one that must go on while no disk answers.
package enum LockedMemory {
    /// Reads all pages of the program in and locks them, and later ones when they are first used: mlockall(2). Does
    /// nothing without CAP_IPC_LOCK beyond RLIMIT_MEMLOCK. It does not extend to children.
    package static func lock() {
        mlockall(MCL_CURRENT)
        // Not all that is mapped later is used: the pump's frames.
        mlockall(MCL_FUTURE | MCL_ONFAULT)
    }
}
