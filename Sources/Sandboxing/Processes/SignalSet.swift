// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A set of signals.
struct SignalSet {
    private let signals: [CInt]

    init(_ signals: CInt...) {
        self.signals = signals
    }

    init(_ signals: [CInt]) {
        self.signals = signals
    }

    /// The set as the system writes it.
    var mask: sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        return mask
    }

    /// Holds the signals back until somebody asks for them.
    func hold() {
        var mask = mask
        sigprocmask(SIG_BLOCK, &mask, nil)
    }

    /// Lets the signals do what `disposition` says.
    func release(as disposition: sighandler_t?) {
        for number in signals { signal(number, disposition) }
        var mask = mask
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }
}

/// How this process was given its signals, to hand them on to the command as they were.
struct InheritedSignals {
    private var mask = sigset_t()
    private var dispositions: [(signal: CInt, isIgnored: Bool)] = []

    /// Reads them, and sets those that supervision changes: a child's end must be told, a reader that went away must
    /// not end us, nor must a word to the terminal from the background stop us.
    static func take() -> InheritedSignals {
        var inherited = InheritedSignals()
        sigprocmask(SIG_BLOCK, nil, &inherited.mask)
        for (number, wanted) in [(SIGCHLD, SIG_DFL), (SIGPIPE, SIG_IGN), (SIGTTOU, SIG_IGN)] {
            let before = signal(number, wanted)
            inherited.dispositions.append((number, unsafeBitCast(before, to: Int.self) == 1))  // SIG_IGN
        }
        return inherited
    }

    /// Gives them back; the last thing before the command.
    func restore() {
        for (number, isIgnored) in dispositions { signal(number, isIgnored ? SIG_IGN : SIG_DFL) }
        var mask = mask
        sigprocmask(SIG_SETMASK, &mask, nil)
    }
}
