// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A set of signals.
package struct SignalSet {
    private let signals: [CInt]

    package init(_ signals: CInt...) {
        self.signals = signals
    }

    package init(_ signals: [CInt]) {
        self.signals = signals
    }

    /// The set in the system's form.
    var mask: sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        return mask
    }

    /// Blocks the signals: they stay pending.
    package func block() {
        var mask = mask
        sigprocmask(SIG_BLOCK, &mask, nil)
    }

    /// Unblocks the signals.
    package func unblock() {
        var mask = mask
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Unblocks every signal in the calling thread.
    package static func unblockAll() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Blocks every signal in the calling thread: the program's signals are for its other threads.
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
