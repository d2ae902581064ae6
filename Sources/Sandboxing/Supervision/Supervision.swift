// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Runs a command in place made for it, with two processes that watch each other.
///
/// This process stays in launcher: it stands for the command towards whoever started us, passes signals on, stops when
/// the command stops, and tells the end. Its child, the supervisor, makes the place and is the command's parent.
/// Either inherits the orphans below it, so whichever is left when the other is killed ends everything. The supervisor
/// has a process group of its own: a signal to the job's group, even SIGKILL, leaves it to clean up.
public enum Supervision {
    /// Sees to it that nothing that is opened from now on takes the place of a standard stream that the caller left
    /// closed. To be called before anything is opened.
    public static func prepare() {
        Descriptors.fillStandard()
    }

    /// Runs the command and gives its end; calls `note` with what the user should know meanwhile, and `report` with what a
    /// monitor has said, line by line.
    ///
    /// - Throws: why it could not be wrapped; nothing is left of the attempt.
    public static func run(
        _ wrapping: Wrapping,
        in place: some ExecutionEnvironment,
        note: (String) -> Void,
        report: (String) -> Void = { _ in }
    ) throws(SandboxError) -> CommandEnd {
        let inherited = InheritedSignals.take()
        let signals = try onSystem { () throws(SystemError) in try SignalQueue(passedOn) }
        try checked(lc_inherit_orphans(), "inherit orphans")
        let (mine, theirs) = try MessageSocket.pair()
        let launcher = getpid()
        let group = getpgrp()
        let supervisor = try onSystem { () throws(SystemError) in
            try Fork.child {
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
                lc_set_title("lc-supervisor", "lc-supervisor: cleans up behind process \(launcher)")
                var supervisor = Supervisor(
                    launcher: launcher,
                    channel: theirs,
                    wrapping: wrapping,
                    launch: launch,
                    place: place
                )
                supervisor.run()
            }
        }
        theirs.close()
        Descriptors.closeInherited(keepsStandardError: true)
        let (outcome, hasRun) = follow(
            mine,
            signals,
            minded: passedOn.filter { !inherited.isIgnored($0) },
            note,
            report
        )
        mine.close()
        // With --keep-children it stays as long as they do.
        if !wrapping.keepsChildren || !hasRun || outcome == nil { _ = ChildStatus.wait(for: supervisor) }
        switch outcome {
        case .success(let end): return end
        case .failure(let error): throw error
        case nil:
            Descendants.end(grace: .zero)
            try place.abandoned(by: supervisor)
            throw SandboxError("the process that kept the place of the command was killed")
        }
    }

    /// The signals that are the command's business.
    private static let passedOn = ending + [SIGTSTP, SIGCONT]
    /// Those of them that end a program which does not mind them.
    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    /// Goes with the command to its end, which is nil if the supervisor ended without a word; and whether it has run at all.
    private static func follow(
        _ channel: MessageSocket,
        _ signals: SignalQueue,
        minded: [CInt],
        _ note: (String) -> Void,
        _ report: (String) -> Void
    ) -> (Result<CommandEnd, SandboxError>?, hasRun: Bool) {
        var outcome: Result<CommandEnd, SandboxError>?
        var hasBegun = false
        var command: pid_t?
        var stops: CInt = 0
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor])
            while let arrival = signals.next() {
                if hasBegun {
                    if arrival.signal == SIGCONT {
                        channel.send(.proceed(stops))
                    } else if isNews(arrival, hasCommand: command != nil) {
                        channel.send(.signal(arrival.signal))
                    }
                } else if minded.contains(arrival.signal) {
                    // There is no command yet that could have it: it is for the attempt.
                    if ending.contains(arrival.signal) { return (.success(.killed(arrival.signal)), false) }
                    if arrival.signal == SIGTSTP { stop(as: SIGTSTP) }
                }
            }
            guard Wait.isReadable(channel.descriptor) else { continue }
            switch channel.receive() {
            case .note(let text): note(text)
            case .report(let text): report(text)
            case .ready:
                hasBegun = true
                channel.send(.begin)
            case .started(let process): command = process
            case .stopped(let signal):
                stops += 1
                // Whoever let us go on meanwhile let the command go on, too.
                if let command, ProcessStatus(command)?.isStopped == true { stop(as: signal) }
            case .ended(let end): outcome = .success(end)
            case .failed(let error): outcome = .failure(error)
            case .signal, .proceed, .begin: break
            case nil: return (outcome, command != nil)
            }
        }
    }

    /// Whether the command does not have the signal already.
    private static func isNews(_ arrival: SignalQueue.Arrival, hasCommand: Bool) -> Bool {
        // Before it is there, a terminal's key may have missed it, or not; to be stopped twice is worse than never.
        !arrival.reachesJob || !hasCommand && arrival.signal != SIGTSTP
    }

    /// Stops this process as the command was stopped, so that the shell sees its job stop; goes on when it does.
    private static func stop(as signal: CInt) {
        // Forgets the signal where it waits already, as the same key's: it would stop us a second time.
        Glibc.signal(signal, SIG_IGN)
        SignalSet(signal).block()
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
        SignalSet(signal).restoreDefault()
        if passedOn.contains(signal) { SignalSet(signal).block() }
        if InheritedSignals.terminal.contains(signal) { Glibc.signal(signal, SIG_IGN) }
    }
}

extension ExecutionEnvironment {
    fileprivate func abandoned(by supervisor: pid_t) throws(SandboxError) {
        var copy = self
        try copy.recover(from: supervisor)
    }
}
