// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// A small process that outlives the one which puts a rule on, and ends the rule when its time is over, or when the
/// process that carries it is gone.
///
/// It is there before the first change, so that it also mends what its maker, killed midway, left. It has a session of
/// its own and nothing of the terminal: neither Ctrl-C nor hanging up reaches it. SIGTERM ends the rule at once. When it
/// is killed itself, the next command finds the rule to be nobody's; a pump finds that at once, and ends the rule.
struct Guardian {
    /// The process.
    let identity: ProcessIdentity
    /// Closed when this process ends: then the guardian looks what became of the change.
    private let lifeline: PumpChannel

    /// Starts one for an interface on which `session` is open.
    ///
    /// The caller has to be of one thread, and in the interface's network.
    ///
    /// - Parameters:
    ///   - task: what a pump is to carry; nil for a rule that the kernel carries.
    ///   - isTied: whether the rule ends with the calling process.
    ///   - makeRule: gives the rule, whose ending names the guardian.
    /// - Throws: why there is none, or no pump; nothing is left of either.
    static func start(
        for session: borrowing InterfaceSession,
        _ task: PumpTask?,
        isTied: Bool = false,
        _ makeRule: (ProcessIdentity) -> JournalEntry.Rule
    ) throws(ConditioningError) -> Guardian {
        guard session.entry != nil else {
            let subject = task == nil ? "what ends by itself" : "what a process carries"
            throw ConditioningError(
                .journal,
                "\(subject) needs a journal, and there is no $XDG_RUNTIME_DIR for it",
                remedy: "LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
            )
        }
        let code: ConditioningError.Code = task == nil ? .refused : .unsupported
        guard let (mine, theirs) = PumpChannel.pair() else {
            throw ConditioningError(code, SystemError(operation: "make a socket pair", code: errno))
        }
        let name = session.name
        let index = session.state.link.index
        let child: Int32
        do {
            child = try Fork.child {
                mine.close()
                setsid()
                lc_set_title("lc-guardian", "lc-guardian: ends the conditions of \(name)")
                for number in [SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTTIN, SIGTTOU, SIGTSTP] { signal(number, SIG_IGN) }
                // The maker may be holding signals back; of those only SIGTERM means the guardian.
                SignalSet.unblockAll()
                // The lock is the maker's alone, and a reader of the maker's output must see its end.
                Descriptors.closeAll(except: [theirs.descriptor])
                chdir("/")
                if let state = GuardianState(makeRule(.current)) {
                    guardRule(state, index, theirs, isTied: isTied, task)
                }
                _exit(0)
            }
        } catch {
            throw ConditioningError(code, error)
        }
        theirs.close()
        guard let identity = ProcessIdentity(child) else {
            throw ConditioningError(code, "the process that was to end the conditions ended at once")
        }
        if task != nil {
            // To make the devices takes some milliseconds.
            mine.limitWaits(seconds: 10)
            guard let answer = mine.receive().flatMap({ PumpAnswer(json: $0) }) else {
                throw ConditioningError(code, "the process that was to carry the conditions ended at once")
            }
            if let refusal = answer.refusal { throw ConditioningError(code, refusal, remedy: "linkcond doctor") }
        }
        return Guardian(identity: identity, lifeline: mine)
    }

    private static func guardRule(
        _ state: GuardianState,
        _ index: Int32,
        _ lifeline: PumpChannel,
        isTied: Bool,
        _ task: PumpTask?
    ) {
        func loop(_ signals: SignalQueue?, _ pump: InterfacePump?) -> GuardianLoop {
            GuardianLoop(
                index: index,
                lifeline: lifeline.descriptor,
                isTied: isTied,
                signals: signals,
                pump: pump,
                state: state
            )
        }
        var pump: InterfacePump?
        if let task {
            pump = try? InterfacePump.start(task, answer: lifeline) { loop(nil, nil) }
            guard pump != nil else { return }
        }
        loop(try? SignalQueue([SIGTERM]), pump).run()
    }

    /// Sees to it that it is there still, now that the rule is.
    func requireAlive() throws(ConditioningError) {
        guard identity.isAlive else {
            throw ConditioningError(
                .refused,
                "the process that was to end the conditions was killed",
                remedy: "linkcond reset"
            )
        }
    }
}
