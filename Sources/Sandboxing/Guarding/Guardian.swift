// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
public import LinkConditioning
internal import Netlink

/// A small process that outlives the one which puts a rule on, and ends the rule when its time is over.
///
/// It is there before the first change, so that it also mends what its maker, killed midway, left. It has a session of
/// its own and nothing of the terminal: neither Ctrl-C nor hanging up reaches it. SIGTERM ends the rule at once. When it
/// is killed itself, the next command finds the rule to be nobody's.
public struct Guardian {
    /// The process.
    public let identity: ProcessIdentity
    /// Closed when this process ends: then the guardian looks what became of the change.
    private let lifeline: CInt

    /// Starts one for an interface on which `claim` is held.
    ///
    /// The caller has to be of one thread, and in the interface's network; `makeRule` gives the rule, whose ending names
    /// the guardian.
    public static func start(
        on claim: Claim,
        _ makeRule: (ProcessIdentity) -> JournalEntry.Rule
    ) throws(SandboxError) -> Guardian {
        let (read, write) = try Descriptors.pipe()
        let name = claim.name
        let index = claim.state.link.index
        let child = try Fork.child {
            setsid()
            lc_set_title("lc-guardian", "lc-guardian: ends the conditions of \(name)")
            for number in [SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTTIN, SIGTTOU, SIGTSTP] { signal(number, SIG_IGN) }
            // The maker may be holding signals back; of those only SIGTERM means the guardian.
            var none = sigset_t()
            sigemptyset(&none)
            sigprocmask(SIG_SETMASK, &none, nil)
            let signals = try? SignalQueue([SIGTERM])
            // The lock is the maker's alone, and a reader of the maker's output must see its end.
            Descriptors.letGoOfAll(but: [read] + [signals?.descriptor].compactMap { $0 })
            chdir("/")
            if let vigil = Vigil(makeRule(.current)) {
                Watch(index: index, lifeline: read, signals: signals, vigil: vigil).run()
            }
            _exit(0)
        }
        close(read)
        guard let identity = ProcessIdentity(child) else {
            throw SandboxError("the process that was to end the conditions ended at once")
        }
        return Guardian(identity: identity, lifeline: write)
    }

    /// Sees to it that it is there still, now that the rule is.
    public func requireLife() throws(SandboxError) {
        guard identity.isAlive else {
            throw SandboxError("the process that was to end the conditions was killed", remedy: "linkcond reset")
        }
    }
}
