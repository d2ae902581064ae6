// SPDX-License-Identifier: Apache-2.0

import Glibc

package struct SignalSet {
    private let signals: [CInt]

    package init(_ signals: CInt...) { self.signals = signals }

    package init(_ signals: [CInt]) { self.signals = signals }

    var mask: sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        return mask
    }

    /// Blocks the signals: they stay pending.
    package func block() { change(SIG_BLOCK) }

    package func unblock() { change(SIG_UNBLOCK) }

    private func change(_ how: CInt) {
        var mask = mask
        sigprocmask(how, &mask, nil)
    }

    /// Unblocks every signal in the calling thread.
    package static func unblockAll() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Blocks every signal in the calling thread, so that they go to the program's other threads.
    package static func blockAllInThread() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    /// Restores the signals' default action and unblocks them.
    package func restoreDefault() {
        for number in signals { signal(number, SIG_DFL) }
        unblock()
    }
}

/// Blocks SIGINT, SIGTERM and SIGHUP from its creation to `release`; pending ones take effect then.
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
