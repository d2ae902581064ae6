// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
public import LinkConditioning
public import LinuxSystem
internal import Netlink

/// A small process that outlives the one which puts a rule on, and ends the rule when its time is over, or when the
/// process that carries it is gone.
///
/// It is there before the first change, so that it also mends what its maker, killed midway, left. It has a session of
/// its own and nothing of the terminal: neither Ctrl-C nor hanging up reaches it. SIGTERM ends the rule at once. When it
/// is killed itself, the next command finds the rule to be nobody's; a pump finds that at once, and ends the rule.
public struct Guardian {
    /// The process.
    public let identity: ProcessIdentity
    /// Closed when this process ends: then the guardian looks what became of the change.
    private let lifeline: PumpChannel

    /// Starts one for an interface on which `claim` is held.
    ///
    /// The caller has to be of one thread, and in the interface's network.
    ///
    /// - Parameters:
    ///   - task: what a pump is to carry; nil for a rule that the kernel carries.
    ///   - isTied: whether the rule ends with the calling process.
    ///   - makeRule: gives the rule, whose ending names the guardian.
    /// - Throws: why there is none, or no pump; nothing is left of either.
    public static func start(
        on claim: Claim,
        pump task: PumpTask? = nil,
        isTied: Bool = false,
        _ makeRule: (ProcessIdentity) -> JournalEntry.Rule
    ) throws(SandboxError) -> Guardian {
        guard let (mine, theirs) = PumpChannel.pair() else { throw SandboxError("make a socket pair", code: errno) }
        let name = claim.name
        let index = claim.state.link.index
        let child = try onSystem { () throws(SystemError) in
            try Fork.child {
                mine.close()
                setsid()
                lc_set_title("lc-guardian", "lc-guardian: ends the conditions of \(name)")
                for number in [SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTTIN, SIGTTOU, SIGTSTP] { signal(number, SIG_IGN) }
                // The maker may be holding signals back; of those only SIGTERM means the guardian.
                var none = sigset_t()
                sigemptyset(&none)
                sigprocmask(SIG_SETMASK, &none, nil)
                // The lock is the maker's alone, and a reader of the maker's output must see its end.
                Descriptors.closeAll(except: [theirs.descriptor])
                chdir("/")
                if let vigil = Vigil(makeRule(.current)) { guardRule(vigil, index, theirs, isTied: isTied, task) }
                _exit(0)
            }
        }
        theirs.close()
        guard let identity = ProcessIdentity(child) else {
            throw SandboxError("the process that was to end the conditions ended at once")
        }
        if task != nil {
            // To make the devices takes some milliseconds.
            mine.limitWaits(seconds: 10)
            guard let answer = mine.receive().flatMap({ PumpAnswer(json: $0) }) else {
                throw SandboxError("the process that was to carry the conditions ended at once")
            }
            if let refusal = answer.refusal { throw SandboxError(refusal, remedy: "linkcond doctor") }
        }
        return Guardian(identity: identity, lifeline: mine)
    }

    private static func guardRule(
        _ vigil: Vigil,
        _ index: Int32,
        _ lifeline: PumpChannel,
        isTied: Bool,
        _ task: PumpTask?
    ) {
        func watch(_ signals: SignalQueue?, _ pump: InterfacePump?) -> Watch {
            Watch(
                index: index,
                lifeline: lifeline.descriptor,
                isTied: isTied,
                signals: signals,
                pump: pump,
                vigil: vigil
            )
        }
        var pump: InterfacePump?
        if let task {
            pump = try? InterfacePump.start(task, answer: lifeline) { watch(nil, nil) }
            guard pump != nil else { return }
        }
        watch(try? SignalQueue([SIGTERM]), pump).run()
    }

    /// Sees to it that it is there still, now that the rule is.
    public func requireLife() throws(SandboxError) {
        guard identity.isAlive else {
            throw SandboxError("the process that was to end the conditions was killed", remedy: "linkcond reset")
        }
    }
}
