// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A forked process of this program that works beside its starter, such as lc-pump.
///
/// Most helpers end by themselves when their channel to the starter is closed, however the starter ended; ``end()`` is
/// for helpers that may not respond.
package struct HelperProcess: Hashable, Sendable {
    /// The helper's process ID.
    package let id: Int32

    /// The initial signal mask and dispositions of the helper.
    package enum Signals {
        /// No signal is blocked; SIGPIPE, and the signals that a terminal sends to background jobs, have their default
        /// action. The signals in `ignoring` are ignored.
        case reset(ignoring: [CInt] = [])
        /// Signals are blocked and ignored as in the starter; those in `ignoring` are ignored too.
        case inherited(ignoring: [CInt] = [])

        fileprivate func apply() {
            switch self {
            case .reset(let ignored):
                for number in [SIGPIPE] + InheritedSignals.terminal where !ignored.contains(number) {
                    signal(number, SIG_DFL)
                }
                for number in ignored { signal(number, SIG_IGN) }
                SignalSet.unblockAll()
            case .inherited(let ignored):
                for number in ignored { signal(number, SIG_IGN) }
            }
        }
    }

    /// Starts a helper that runs `body`. The calling process must have a single thread.
    ///
    /// - Parameters:
    ///   - name: the helper's name in ps(1), of 15 bytes at most; nil for the starter's name and arguments.
    ///   - work: a description of its work, shown after the name in its arguments.
    ///   - holders: the descriptors that the helper keeps open. It closes all others, such as an interface's lock or
    ///     the starter's output, whose reader then sees its end; the standard streams become /dev/null.
    ///   - hasOwnSession: whether to start a session, so that neither the terminal's keys nor its hang-up reach the
    ///     helper.
    package static func start(
        _ name: String?,
        _ work: String = "",
        keeping holders: [any DescriptorHolder],
        signals: Signals = .reset(),
        hasOwnSession: Bool = false,
        _ body: () -> Never
    ) throws(SystemError) -> HelperProcess {
        let kept = holders.flatMap(\.descriptors)
        return HelperProcess(
            id: try Fork.child {
                if hasOwnSession { setsid() }
                if let name { lc_set_title(name, "\(name): \(work)") }
                signals.apply()
                Descriptors.closeAll(except: kept)
                body()
            }
        )
    }

    /// Waits until the helper has ended, and reaps it; nil if it was reaped before. Afterwards, another process may get
    /// its ID.
    @discardableResult
    package func reap() -> ChildStatus? { ChildStatus.wait(for: id) }

    /// Kills and reaps the helper, which must not have been reaped. Does nothing if the kernel refuses the signal.
    package func end() {
        guard kill() else { return }
        reap()
    }

    /// Sends SIGKILL to the helper, which must not have been reaped; returns false if the kernel refuses the signal.
    @discardableResult
    package func kill() -> Bool { Glibc.kill(id, SIGKILL) == 0 }
}
