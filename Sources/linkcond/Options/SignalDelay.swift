// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

/// Holds back the signals that ask a program to end, from its making to `end`, where those that came take effect.
final class SignalDelay {
    private var before = sigset_t()
    private var isOver = false

    init() {
        var held = sigset_t()
        sigemptyset(&held)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&held, signal) }
        sigprocmask(SIG_BLOCK, &held, &before)
    }

    /// Lets them through.
    func end() {
        guard !isOver else { return }
        isOver = true
        sigprocmask(SIG_SETMASK, &before, nil)
    }
}
