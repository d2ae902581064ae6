// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Blocks the signals that ask a program to end, from its creation to `release`; those that arrived take effect then.
package final class HeldSignals {
    private var before = sigset_t()
    private var isReleased = false

    package init() {
        var mask = SignalSet(SIGINT, SIGTERM, SIGHUP).mask
        sigprocmask(SIG_BLOCK, &mask, &before)
    }

    /// Restores the signal mask. A second call does nothing.
    package func release() {
        guard !isReleased else { return }
        isReleased = true
        sigprocmask(SIG_SETMASK, &before, nil)
    }
}
