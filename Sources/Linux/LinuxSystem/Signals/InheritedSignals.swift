// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signal mask and dispositions that this process started with, to be passed on to the command unchanged.
package struct InheritedSignals {
    private var mask = sigset_t()
    private var dispositions: [(signal: CInt, isIgnored: Bool)] = []

    /// The signals that stop a background job that reads from or writes to its terminal.
    package static let terminal = [SIGTTIN, SIGTTOU]

    /// Saves the mask and dispositions, and sets the dispositions that supervision needs: SIGCHLD must be delivered,
    /// SIGPIPE must not end this process, and using the terminal from the background must not stop it.
    package static func readAndReplace() -> InheritedSignals {
        var inherited = InheritedSignals()
        sigprocmask(SIG_BLOCK, nil, &inherited.mask)
        for (number, disposition) in [(SIGCHLD, SIG_DFL), (SIGPIPE, SIG_IGN)] + terminal.map({ ($0, SIG_IGN) }) {
            let before = signal(number, disposition)
            inherited.dispositions.append((number, unsafeBitCast(before, to: Int.self) == 1))  // SIG_IGN
        }
        return inherited
    }

    /// Whether the command will start with the signal `number` ignored.
    package func isIgnored(_ number: CInt) -> Bool {
        if let known = dispositions.first(where: { $0.signal == number }) { return known.isIgnored }
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }

    /// Restores the mask and dispositions, as the last step before exec.
    package func restore() {
        for (number, isIgnored) in dispositions { signal(number, isIgnored ? SIG_IGN : SIG_DFL) }
        var mask = mask
        sigprocmask(SIG_SETMASK, &mask, nil)
    }
}
