// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// A small process that outlives the one that applies a rule, and removes the rule at its deadline or when its pump
/// ends.
///
/// It starts before the first change, so that it also repairs what its parent, killed midway, left. It has its own
/// session and no terminal, so neither Ctrl-C nor a hangup reaches it. SIGTERM removes the rule at once. If the
/// guardian itself is killed, the next command removes the rule; a pump notices that at once and removes the rule.
struct Guardian {
    /// The process.
    let identity: ProcessIdentity
    /// Closed when this process ends; the guardian then checks the state of the change.
    private let lifeline: PumpChannel

    /// Starts one for an interface on which `session` is open.
    ///
    /// The caller must have one thread and be in the interface's network.
    ///
    /// - Parameters:
    ///   - task: the pump's task; nil for a rule that the kernel carries.
    ///   - isTied: whether the rule ends with the calling process.
    ///   - locksMemory: whether the interface carries the storage that this process's pages may have to come from.
    ///   - makeRule: returns the rule, whose ending names the guardian.
    /// - Throws: why the guardian or the pump did not start; neither is left running.
    static func start(
        for session: borrowing InterfaceSession,
        _ task: PumpTask?,
        isTied: Bool = false,
        locksMemory: Bool,
        _ makeRule: (ProcessIdentity) -> JournalEntry.Rule
    ) throws(ConditioningError) -> Guardian {
        guard session.entry != nil else {
            let subject = task == nil ? "a rule with a time limit" : "the userspace engine"
            throw ConditioningError(
                .journal,
                "\(subject) needs a journal, and there is no $XDG_RUNTIME_DIR to keep it in",
                remedy: "LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
            )
        }
        guard isTied || getpid() != 1 else {
            let subject = task == nil ? "a rule with a time limit" : "the userspace engine"
            throw ConditioningError(
                .unsupported,
                "this is process 1 of its PID namespace, and \(subject) needs processes that would end with it",
                remedy: "linkcond run -i \(session.name) PROFILE -- COMMAND, or a container with an init process"
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
                // The parent may be blocking signals; of those only SIGTERM concerns the guardian.
                SignalSet.unblockAll()
                // The lock belongs to the parent alone, and a reader of the parent's output must see its end.
                Descriptors.closeAll(except: [theirs.descriptor] + (task?.capture?.descriptors ?? []))
                chdir("/")
                if locksMemory { LockedMemory.lock() }
                if let state = GuardianState(makeRule(.current)) {
                    guardRule(state, index: index, lifeline: theirs, isTied: isTied, locksMemory: locksMemory, task)
                }
                _exit(0)
            }
        } catch {
            throw ConditioningError(code, error)
        }
        theirs.close()
        guard let identity = ProcessIdentity(child) else {
            throw ConditioningError(code, "the guardian process ended at once")
        }
        if task != nil {
            // Making the devices takes some milliseconds.
            mine.limitWaits(seconds: 10)
            guard let answer = mine.receive().flatMap({ PumpAnswer(json: $0) }) else {
                throw ConditioningError(code, "the pump process ended at once")
            }
            if let refusal = answer.refusal { throw ConditioningError(code, refusal, remedy: "linkcond doctor") }
        }
        return Guardian(identity: identity, lifeline: mine)
    }

    private static func guardRule(
        _ state: GuardianState,
        index: Int32,
        lifeline: PumpChannel,
        isTied: Bool,
        locksMemory: Bool,
        _ task: PumpTask?
    ) {
        func loop(_ signals: SignalQueue?, _ pump: InterfacePump?) -> GuardianLoop {
            GuardianLoop(
                index: index,
                lifeline: lifeline.descriptor,
                isTied: isTied,
                signals: signals,
                pump: pump,
                state: state,
                heartbeat: task?.device.taps.first.map { tap in PumpHeartbeat { PumpClient().answers(tap: tap.name) } }
            )
        }
        var pump: InterfacePump?
        if let task {
            pump = try? InterfacePump.start(task, answer: lifeline, locksMemory: locksMemory) { loop(nil, nil) }
            guard pump != nil else { return }
            // A reader of a pipe sees its end when the pump ends.
            task.capture?.descriptors.forEach { close($0) }
        }
        // After the start of the pump, which takes memory: the guardian takes none. Needs CAP_SYS_RESOURCE.
        try? ProcFile("/proc/self/oom_score_adj").write("-1000")
        loop(try? SignalQueue([SIGTERM]), pump).run()
    }

    /// Why the pump could not write all packets to the file of its capture; nil if it could. Waits for its end, since the
    /// disk may be slow.
    func captureProblem() -> String? {
        lifeline.limitWaits(seconds: 30)
        guard let answer = lifeline.receive().flatMap({ PumpAnswer(json: $0) }) else {
            return "the capture may end early: the process that wrote it did not report its end"
        }
        return answer.refusal
    }

    /// Throws if the guardian has ended.
    func requireAlive() throws(ConditioningError) {
        guard identity.isAlive else {
            throw ConditioningError(
                .refused,
                "the guardian process was killed",
                remedy: "linkcond reset"
            )
        }
    }
}
