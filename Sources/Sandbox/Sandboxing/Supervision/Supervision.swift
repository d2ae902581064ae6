// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import ClientVerdicts
import Glibc
package import LinkConditioning
internal import LinuxSystem

/// Runs a command in an environment, with two processes that watch each other.
///
/// This process is the launcher: it represents the command to the caller, forwards signals, stops when the command
/// stops, and ends as it ends. Its child, the supervisor, makes the environment and is the command's parent. Both are
/// subreapers, so if one is killed the other ends everything. The supervisor has its own process group: a signal to the
/// job's group, even SIGKILL, does not reach it, so it can clean up.
package enum Supervision {
    /// The callbacks of a run while its command runs.
    package struct Listener {
        /// Called with notes for the user, and a remedy.
        let note: (String, Remedy?) -> Void
        /// Called with the monitor's output, in pieces of whole lines.
        let report: (String) -> Void
        /// Called with the progress several times a second while the command runs; nil to show none.
        package let progress: ((RunProgress) -> Void)?
        /// Called with the supervisor's process ID when the environment is ready and before the command is started,
        /// while this process may still fork.
        package var ready: (Int32) -> Void = { _ in }
        /// Called when the command has been started, after the last fork of this process.
        package var started: () -> Void = {}
        /// Readable when the command is to be ended; nil for never.
        package var ending: CInt?

        package init(
            note: @escaping (String, Remedy?) -> Void,
            report: @escaping (String) -> Void,
            progress: ((RunProgress) -> Void)?
        ) {
            (self.note, self.report, self.progress) = (note, report, progress)
        }
    }

    /// Runs the command and returns how it ended. After that, the first signal that asks this process to end is only
    /// noted (`Interruption`), and the second one ends it. Throws the reason if the command could not be wrapped; then
    /// nothing is left of the attempt.
    package static func run(
        _ command: WrappedCommand,
        in environment: some ExecutionEnvironment,
        _ listener: Listener
    ) throws(SandboxError) -> CommandEnd {
        let inherited = InheritedSignals.readAndReplace()
        let signals = try onSystem(SignalQueue(forwarded))
        try checked(lc_inherit_orphans(), "inherit orphans")
        let controlGroup = ControlGroup.make()
        let descendants = Descendants(in: controlGroup)
        defer {
            descendants.close()
            if !command.keepsChildren { controlGroup?.remove() }
            controlGroup?.close()
        }
        let (mine, theirs) = try MessageSocket.pair()
        let launcher = getpid()
        let launch = CommandLaunch(command, group: getpgrp(), signals: inherited, controlGroup: controlGroup)
        let supervisor = try onSystem(
            // Not a `HelperProcess`: the command has to get the descriptors and signals of this process.
            Fork.child {
                mine.close()
                close(signals.descriptor)
                descendants.close()
                setpgid(0, 0)
                lc_set_title("lc-supervisor", "lc-supervisor: cleans up after process \(launcher)")
                var supervisor = Supervisor(
                    launcher: launcher,
                    channel: theirs,
                    command: command,
                    launch: launch,
                    environment: environment,
                    descendants: Descendants(in: controlGroup)
                )
                supervisor.run()
            }
        )
        theirs.close()
        // Not for a function of this program, which writes no output of its own.
        if command.body == nil { Descriptors.closeInherited(keepsStandardError: true) }
        let minded = forwarded.filter { !inherited.isIgnored($0) }
        let watch = environment.followsNameServers ? NameServerWatch() : nil
        let (outcome, hasRun) = follow(
            mine,
            supervisor,
            timeout: command.timeout,
            signals: signals,
            minded: minded,
            watch,
            listener
        )
        mine.close()
        defer {
            Interruption.note()
            SignalSet(SIGTSTP, SIGCONT).unblock()
        }
        // With --keep-children, the supervisor stays as long as the command's children.
        if !command.keepsChildren || !hasRun || outcome == nil { _ = ChildStatus.wait(for: supervisor) }
        switch outcome {
        case .success(let end): return end
        case .failure(let error): throw error
        case nil:
            descendants.end(grace: .zero)
            try environment.recover(from: supervisor)
            throw SandboxError("the command's supervisor was killed")
        }
    }

    /// The signals that are forwarded to the command.
    private static let forwarded = ending + [SIGTSTP, SIGCONT]
    /// The forwarded signals whose default action ends a process.
    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    /// The time between two requests for the progress.
    private static let frame = Duration.milliseconds(250)

    /// Follows the command; returns its end (nil if the supervisor ended without a message), and whether it has run.
    private static func follow(
        _ channel: MessageSocket,
        _ supervisorID: pid_t,
        timeout: Duration?,
        signals: SignalQueue,
        minded: [CInt],
        _ nameServers: NameServerWatch?,
        _ listener: Listener
    ) -> (Result<CommandEnd, SandboxError>?, hasRun: Bool) {
        var outcome: Result<CommandEnd, SandboxError>?
        var isReady = false
        var command: pid_t?
        var stopCount: CInt = 0
        // The time to request the progress; nil while an answer is due, or before there is a command.
        var question: Duration?
        var endRequest = listener.ending
        var (nameServers, supervisor) = (nameServers, SupervisorWatch(supervisorID))
        while true {
            supervisor.look(at: BootClock.now)
            let due = [question, command == nil ? nil : nameServers?.due, supervisor.due].compactMap(\.self).min()
            let wait = due.map { max($0 - BootClock.now, .zero) }
            Wait.untilReadable([channel.descriptor, signals.descriptor] + [endRequest].compactMap(\.self), limit: wait)
            if let descriptor = endRequest, Wait.isReadable(descriptor) {
                channel.send(.end)
                endRequest = nil
            }
            if let due = question, due <= BootClock.now {
                channel.send(.tellProgress)
                question = nil
            }
            if command != nil, let text = nameServers?.change() { channel.send(.nameServers(text)) }
            while let arrival = signals.next() {
                if isReady {
                    if arrival.signal == SIGCONT {
                        channel.send(.proceed(stopCount))
                    } else if isNews(arrival, hasCommand: command != nil) {
                        channel.send(.signal(arrival.signal))
                    }
                    if ending.contains(arrival.signal) { supervisor.expect(at: BootClock.now) }
                } else if minded.contains(arrival.signal) {
                    // Without a command yet, the signal applies to this process.
                    if ending.contains(arrival.signal) { return (.success(.killed(arrival.signal)), false) }
                    if arrival.signal == SIGTSTP { stop(as: SIGTSTP) }
                }
            }
            guard Wait.isReadable(channel.descriptor) else { continue }
            switch channel.receive() {
            case .note(let text, let remedy): listener.note(text, remedy)
            case .report(let text): listener.report(text)
            case .ready:
                listener.ready(supervisorID)
                isReady = true
                channel.send(.begin)
                // Set now: the command may stop the supervisor before the supervisor reports the start.
                if let timeout { supervisor.expect(at: BootClock.now + timeout) }
            case .started(let process):
                command = process
                listener.started()
                if listener.progress != nil { question = BootClock.now }
            case .progress(let latest):
                listener.progress?(latest)
                question = BootClock.now + Self.frame
            case .stopped(let signal):
                stopCount += 1
                // Skipped if the command was continued meanwhile, together with this process.
                if let command, ProcessStatus(command)?.isStopped == true { stop(as: signal) }
            case .ended(let end): outcome = .success(end)
            case .failed(let error): outcome = .failure(error)
            case .signal, .proceed, .begin, .tellProgress, .end, .nameServers: break
            case nil: return (outcome, command != nil)
            }
        }
    }

    /// Whether the command has not received the signal yet.
    private static func isNews(_ arrival: SignalQueue.Arrival, hasCommand: Bool) -> Bool {
        // The signal of a terminal's key may have missed a command that is just starting. It is sent again, except for
        // SIGTSTP: a lost stop is better than a second one.
        !arrival.reachesJob || !hasCommand && arrival.signal != SIGTSTP
    }

    /// Stops this process as the command was stopped, so that the shell sees its job stop; returns when it continues.
    private static func stop(as signal: CInt) {
        // Discards a pending signal from the same key, which would stop this process a second time.
        Glibc.signal(signal, SIG_IGN)
        SignalSet(signal).block()
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
        SignalSet(signal).restoreDefault()
        if forwarded.contains(signal) { SignalSet(signal).block() }
        if InheritedSignals.terminal.contains(signal) { Glibc.signal(signal, SIG_IGN) }
    }
}
