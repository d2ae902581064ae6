// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Runs a command in surroundings made for it, with two processes that watch each other.
///
/// This process stays in front: it stands for the command towards whoever started us, passes signals on, stops when
/// the command stops, and tells the end. Its child, the keeper, makes the surroundings and is the command's parent.
/// Either inherits the orphans below it, so whichever is left when the other is killed ends everything. The keeper
/// has a process group of its own: a signal to the job's group, even SIGKILL, leaves it to clean up.
public enum Supervision {
    /// Runs the command and gives its end; calls `note` with what the user should know meanwhile.
    ///
    /// - Throws: why it could not be wrapped; nothing is left of the attempt.
    public static func run(
        _ wrapping: Wrapping,
        in surroundings: some Surroundings,
        note: (String) -> Void
    ) throws(SandboxError) -> CommandEnd {
        Descriptors.fillStandard()
        let inherited = InheritedSignals.take()
        let signals = try SignalQueue(passedOn)
        try checked(lc_inherit_orphans(), "inherit orphans")
        let (mine, theirs) = try MessageSocket.pair()
        let front = getpid()
        let group = getpgrp()
        let keeper = try Fork.child {
            mine.close()
            close(signals.descriptor)
            let launch = { (environment: [(name: String, value: String)]) in
                CommandLaunch(
                    arguments: wrapping.arguments,
                    account: wrapping.account,
                    group: group,
                    signals: inherited,
                    environment: environment
                )
            }
            setpgid(0, 0)
            lc_set_title("lc-keeper", "lc-keeper: cleans up behind process \(front)")
            var keeper = Keeper(channel: theirs, wrapping: wrapping, launch: launch, surroundings: surroundings)
            keeper.run()
        }
        theirs.close()
        Descriptors.letGo(keepingErrors: true)
        let outcome = follow(mine, signals, note)
        mine.close()
        // With --keep-children it stays as long as they do.
        if !wrapping.keepsChildren { _ = ChildStatus.wait(for: keeper) }
        switch outcome {
        case .success(let end): return end
        case .failure(let error): throw error
        case nil:
            Descendants.end(grace: .zero)
            try surroundings.abandoned(by: keeper)
            throw SandboxError("the process that kept the surroundings of the command was killed")
        }
    }

    /// The signals that are the command's business.
    private static let passedOn = ending + [SIGTSTP, SIGCONT]
    /// Those of them that end a program which does not mind them.
    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    /// Goes with the command to its end; nil if the keeper ended without a word.
    private static func follow(
        _ channel: MessageSocket,
        _ signals: SignalQueue,
        _ note: (String) -> Void
    ) -> Result<CommandEnd, SandboxError>? {
        var outcome: Result<CommandEnd, SandboxError>?
        var isRunning = false
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor])
            while let arrival = signals.next() {
                if isRunning, arrival.isFromProcess { channel.send(.signal(arrival.signal)) }
                // There is no command yet that a key could reach: the attempt ends here.
                if !isRunning, ending.contains(arrival.signal) { return .success(.killed(arrival.signal)) }
            }
            guard Wait.isReadable(channel.descriptor) else { continue }
            switch channel.receive() {
            case .note(let text): note(text)
            case .started: isRunning = true
            case .stopped(let signal): stop(as: signal)
            case .ended(let end): outcome = .success(end)
            case .failed(let error): outcome = .failure(error)
            case .signal: break
            case nil: return outcome
            }
        }
    }

    /// Stops this process as the command was stopped, so that the shell sees its job stop; goes on when it does.
    private static func stop(as signal: CInt) {
        SignalSet(signal).release(as: SIG_DFL)
        raise(signal)
        if passedOn.contains(signal) { SignalSet(signal).hold() }
        if signal == SIGTTOU { Glibc.signal(SIGTTOU, SIG_IGN) }
    }
}

extension Surroundings {
    fileprivate func abandoned(by keeper: pid_t) throws(SandboxError) {
        var copy = self
        try copy.forsake(keeper: keeper)
    }
}
