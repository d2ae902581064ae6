// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

/// Holds back the signals that ask a program to end.
enum SignalDelay {
    /// Runs `body` to its end; a signal that came meanwhile takes effect behind it.
    static func during<Value>(_ body: () throws -> Value) rethrows -> Value {
        var held = sigset_t()
        var before = sigset_t()
        sigemptyset(&held)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&held, signal) }
        sigprocmask(SIG_BLOCK, &held, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        return try body()
    }
}
