// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A process of this program that works beside the one that starts it, with a copy of its memory: lc-pump and the others.
///
/// Most end by themselves when their channel to the starter is closed, whatever ends the starter; ``end()`` is for those that
/// may not answer.
package struct HelperProcess: Hashable, Sendable {
    /// Its process ID.
    package let id: Int32

    /// What signals do to it until it says otherwise.
    package enum Signals {
        /// None is blocked; SIGPIPE, and those that a terminal sends to background jobs, have their default effect. Some may
        /// be ignored.
        case reset(ignoring: [CInt] = [])
        /// They are blocked and ignored as in the starter, or ignored in addition.
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

    /// Starts one, which runs `body`. The calling process must have a single thread.
    ///
    /// - Parameters:
    ///   - name: what ps(1) shows as its name, of 15 bytes at most; nil for the starter's name and arguments.
    ///   - work: what it does, which follows the name in its arguments.
    ///   - holders: what it keeps open. All else is closed, an interface's lock for instance, and a reader of the starter's
    ///     output sees its end; the standard streams lead to /dev/null.
    ///   - hasOwnSession: whether neither the terminal's keys nor its hang-up reach it.
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

    /// Waits until it has ended, and reaps it; nil if it was reaped before. Its ID may be another process's from then on.
    @discardableResult
    package func reap() -> ChildStatus? { ChildStatus.wait(for: id) }

    /// Kills and reaps it, which must not have been reaped. Does nothing where the kernel refuses that.
    package func end() {
        guard kill() else { return }
        reap()
    }

    /// Sends SIGKILL to it, which must not have been reaped; false where the kernel refuses that.
    @discardableResult
    package func kill() -> Bool { Glibc.kill(id, SIGKILL) == 0 }
}
