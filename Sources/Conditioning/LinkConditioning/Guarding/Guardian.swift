// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// A small process that outlives the one that applies a rule, and removes the rule at its deadline or when its pump
/// ends.
///
/// It starts before the first change, so that it can also repair what its parent leaves if killed midway. It has its
/// own session and no terminal, so neither Ctrl-C nor a hangup reaches it. SIGTERM removes the rule at once. If the
/// guardian itself is killed, the next command removes the rule; if a pump carries the rule, a second guardian removes
/// it at once.
struct Guardian {
    let identity: ProcessIdentity
    /// The guardian sees its end closed when this process ends, and then checks the state of the change.
    let lifeline: MessageChannel

    /// Starts a guardian for the interface on which `session` is open.
    ///
    /// The caller must have one thread and be in the interface's network.
    ///
    /// - Parameters:
    ///   - task: the pump's task; nil for a rule that the kernel carries.
    ///   - isTied: whether the rule ends with the calling process.
    ///   - locksMemory: whether to keep the processes' pages in memory, because the interface carries the storage that
    ///     they may have to be read from.
    ///   - makeRule: makes the rule for the guardian's identity, which it stores in `Rule.ending.guardian`.
    /// - Throws: the reason why the guardian or the pump did not start; neither is left running.
    static func start(
        for session: borrowing InterfaceSession,
        _ task: PumpTask?,
        isTied: Bool = false,
        locksMemory: Bool,
        _ makeRule: @escaping (ProcessIdentity) -> JournalEntry.Rule
    ) throws(ConditioningError) -> Guardian {
        let subject = task == nil ? "a rule with a time limit" : "the userspace engine"
        guard session.entry != nil else {
            throw ConditioningError(
                .journal,
                "\(subject) needs a journal, and there is no $XDG_RUNTIME_DIR to keep it in",
                remedy: Remedy(.moveJournal)
            )
        }
        guard isTied || getpid() != 1 else {
            throw ConditioningError(
                .unsupported,
                "this is process 1 of its PID namespace, and \(subject) needs processes that would end with it",
                remedy: Remedy(.runCommand, session.name)
            )
        }
        return try session.machine.startGuardian(
            GuardianTask(
                interface: session.name,
                index: session.state.link.index,
                pump: task,
                isTied: isTied,
                locksMemory: locksMemory,
                makeRule: makeRule
            )
        )
    }

    /// Forks the guardian's process and waits for its pump, if any, to start.
    static func fork(_ task: GuardianTask) throws(ConditioningError) -> Guardian {
        let code: ConditioningError.Code = task.pump == nil ? .refused : .unsupported
        let (mine, theirs): (MessageChannel, MessageChannel)
        let child: HelperProcess
        do {
            (mine, theirs) = try MessageChannel.pair()
            child = try HelperProcess.start(
                "lc-guardian",
                "ends the conditions of \(task.interface)",
                keeping: [theirs, task.pump?.capture],
                // The parent may be blocking signals; only SIGTERM concerns the guardian.
                signals: .reset(ignoring: [SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTTIN, SIGTTOU, SIGTSTP]),
                hasOwnSession: true
            ) {
                chdir("/")
                // The guardian's children inherit this.
                _ = lc_prctl(PR_SET_NO_NEW_PRIVS, 1)
                _ = lc_prctl(PR_SET_DUMPABLE, 0)
                if task.locksMemory { LockedMemory.lock() }
                // The rule must name this very process: under another identity, it would not belong to the guardian.
                if let identity = ProcessIdentity(getpid()), let state = GuardianState(task.makeRule(identity)) {
                    guardRule(state, lifeline: theirs, task)
                }
                _exit(0)
            }
        } catch {
            throw ConditioningError(code, error)
        }
        theirs.close()
        guard let identity = ProcessIdentity(child.id) else {
            throw ConditioningError(code, "the guardian process ended at once")
        }
        if task.pump != nil {
            // Making the devices takes some milliseconds.
            mine.limitWaits(seconds: 10)
            guard let answer = mine.receive().flatMap({ PumpAnswer(json: $0) }) else {
                throw ConditioningError(code, "the pump process ended at once")
            }
            if let refusal = answer.refusal { throw ConditioningError(code, refusal, remedy: Remedy(.examine)) }
        }
        return Guardian(identity: identity, lifeline: mine)
    }

    private static func guardRule(
        _ state: GuardianState,
        lifeline: MessageChannel,
        _ task: GuardianTask
    ) {
        // Done before the pump is started, so that the pump is spared too: it holds the packets of every program on the
        // interface, and limits its memory itself.
        ProcFile.avoidMemoryKill()
        func loop(_ signals: SignalQueue?, _ pump: InterfacePump?, _ standby: StandbyGuardian?) -> GuardianLoop {
            GuardianLoop(
                machine: .real,
                index: task.index,
                lifeline: lifeline.descriptor,
                isTied: task.isTied,
                signals: signals,
                pump: pump,
                standby: standby,
                state: state,
                heartbeat: task.pump?.device.taps.first.map { tap in
                    PumpHeartbeat { RealMachine.client.answers(tap: tap.name) }
                }
            )
        }
        var pump: InterfacePump?
        var standby: StandbyGuardian?
        let locksMemory = task.locksMemory
        if let task = task.pump {
            guard let ends = try? MessageChannel.pair() else { return }
            // The standby starts first, since the rule is applied as soon as the pump answers.
            standby = try? StandbyGuardian.start(
                keeping: ends.0,
                of: task.device.name,
                locksMemory: locksMemory,
                sockets: task.sockets
            ) {
                loop(nil, nil, nil)
            }
            guard let started = standby else { return }
            pump = try? InterfacePump.start(task, answer: lifeline, locksMemory: locksMemory, ends)
            guard pump != nil else { return started.end() }
            // With these closed, a reader of the capture's pipe sees end of file when the pump ends.
            task.capture?.closeDescriptors()
        }
        loop(try? SignalQueue([SIGTERM]), pump, standby).run()
        // Ended only after the rule is gone: if this process is killed before, the standby removes the rule.
        standby?.end()
        task.pump?.sockets?.removeUnused()
    }

    /// The reason why the pump could not write all packets to its capture file; nil if it could. Waits for the pump's
    /// end, since the disk may be slow.
    func captureProblem() -> String? {
        lifeline.limitWaits(seconds: 30)
        guard let answer = lifeline.receive().flatMap({ PumpAnswer(json: $0) }) else {
            return "the capture may end early: the process that wrote it did not report its end"
        }
        return answer.refusal
    }

    /// Throws if the guardian has ended.
    func requireAlive(on machine: any Machine) throws(ConditioningError) {
        guard machine.isAlive(identity) else {
            throw ConditioningError(.refused, "the guardian process was killed", remedy: Remedy(.reset))
        }
    }
}

/// A guardian's task.
struct GuardianTask {
    let interface: String
    /// The interface's index.
    let index: Int32
    /// The pump's task; nil for a rule that the kernel carries.
    let pump: PumpTask?
    /// Whether the rule ends with the process that starts the guardian.
    let isTied: Bool
    /// Whether to keep the processes' pages in memory, because the interface carries the storage that they may have to
    /// be read from.
    let locksMemory: Bool
    /// Makes the rule for the guardian's identity, which it stores in `Rule.ending.guardian`.
    let makeRule: (ProcessIdentity) -> JournalEntry.Rule
}
