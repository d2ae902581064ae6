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

    /// What stops a job that reads from the terminal, or writes to it, from the background.
    static let terminal = [SIGTTIN, SIGTTOU]

    /// Reads them, and sets those that supervision changes: a child's end must be told, a reader that went away must
    /// not end us, nor must the command's reading from the terminal stop us, or a word of ours to it.
    static func take() -> InheritedSignals {
        var inherited = InheritedSignals()
        sigprocmask(SIG_BLOCK, nil, &inherited.mask)
        for (number, wanted) in [(SIGCHLD, SIG_DFL), (SIGPIPE, SIG_IGN)] + terminal.map({ ($0, SIG_IGN) }) {
            let before = signal(number, wanted)
            inherited.dispositions.append((number, unsafeBitCast(before, to: Int.self) == 1))  // SIG_IGN
        }
        return inherited
    }

    /// Whether the command will ignore `number`, unless it asks for it.
    func isIgnored(_ number: CInt) -> Bool {
        if let known = dispositions.first(where: { $0.signal == number }) { return known.isIgnored }
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }

    /// Gives them back; the last thing before the command.
    func restore() {
        for (number, isIgnored) in dispositions { signal(number, isIgnored ? SIG_IGN : SIG_DFL) }
        var mask = mask
        sigprocmask(SIG_SETMASK, &mask, nil)
    }
}
