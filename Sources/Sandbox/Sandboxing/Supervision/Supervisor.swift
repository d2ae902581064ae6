// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import ClientTraffic
internal import ClientVerdicts
import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// The process that makes the environment, starts the command in it, and tears it down. The environment is a `Sandbox`,
/// or for `run -i` a `ConditionedInterface`.
///
/// ## A run, in order
///
/// 1. Inherit orphans and listen for SIGCHLD, before there is any child: no end is missed, and this process becomes the
///    parent of every process that the command leaves.
/// 2. Make the environment. This process still has one thread, since it forks and enters namespaces: helpers that
///    belong outside are forked first, helpers that belong inside after this process has moved in. Then start the
///    monitor.
/// 3. Send `ready` and wait for `begin`. A signal before that ends only the launcher, and no command has started; after
///    that, the launcher forwards signals.
/// 4. Fork the command. A pipe that is closed on exec shows whether it could be executed. Then close the inherited
///    descriptors, so that a reader of the caller's pipes sees their end when the command has ended.
/// 5. Start the threads for the control socket, the watches and the scenario, after the last fork.
/// 6. Wait for changes of children, the launcher's requests and the time limit. A request may be caused by a child's
///    end: requests are read first and handled last. The command's own end is handled after those of other children,
///    which belong to the run. To end the command: SIGTERM, and SIGKILL 5 s later.
/// 7. The command has ended. Take the last samples first (sockets, progress, steps that never began): what the command
///    left would be gone later. Request the monitor's summary.
/// 8. Stop the threads, so that nothing changes the conditions any more. Then end the processes that the command left,
///    but neither the forwarders of packets nor the processes that end conditions or captures later.
/// 9. Drain: wait until the data that the command has sent has arrived. Not after a time limit or a verdict, since the
///    user waits for that, nor if a process could not be ended, which may send for ever.
/// 10. End the forwarders. Tear down what does not end with its process: a capture is completed, a rule removed.
/// 11. Send `ended`, last: when the launcher ends like the command, nothing of the run is left.
///
/// With `--keep-children`, step 11 follows step 7; steps 8 and 10 follow when the last child has ended, without a
/// drain.
///
/// ## A kill
///
/// - The launcher: the channel ends, this process ends all descendants and tears down, at any step.
/// - This process: the launcher inherits the orphans, ends them, and removes the rule that this process applied. A
///   sandbox needs nothing more: its namespaces end with their last process.
/// - Both: the kernel kills the command, and the processes that carry packets end with their sockets. The guardian of
///   an interface removes the rule; without one, the next command does.
/// - A helper: the user gets a note, and the events record it, since later verdicts are in doubt. The run goes
///   on.
struct Supervisor<Environment: ExecutionEnvironment> {
    /// The launcher, which is the parent.
    let launcher: pid_t
    let channel: MessageSocket
    let command: WrappedCommand
    var launch: CommandLaunch
    var environment: Environment
    var running: Environment.Running?
    var monitor: MonitorProcess?
    let descendants: Descendants

    /// The time between SIGTERM and SIGKILL for processes that the command left.
    private static var grace: Duration { .milliseconds(500) }
    /// The grace period of a command that exceeded its time limit, or that failed an expectation.
    private static var timeoutGrace: Duration { .seconds(5) }

    /// Runs the command and ends this process.
    mutating func run() -> Never {
        do {
            try checked(lc_inherit_orphans(), "inherit orphans")
            let children = try onSystem(SignalQueue([SIGCHLD]))
            let running = try environment.setUp(for: command.account)
            self.running = running
            for note in running.notes where command.isVerbose || !note.isDetail {
                channel.send(.note(note.text, note.remedy))
            }
            if let task = command.monitor {
                monitor = try MonitorProcess.start(task, as: command.account, variables: running.variables)
            }
            channel.send(.ready)
            guard channel.receive() == .begin else {
                // The launcher ended before the command began.
                try clear()
                _exit(0)
            }
            launch.environment = running.variables
            launch.hasReadOnlySettings = running.hasReadOnlySettings
            // Before the command, which may be far by the time that this process has a processor again.
            let instant = Instant.now
            let start = try launch.start()
            channel.send(.started(start.process))
            Descriptors.closeInherited(keepsStandardError: false)
            running.serve(since: instant, besides: monitor?.process)
            try watch(start, running, children)
        } catch {
            var error = error
            do {
                try clear()
            } catch let second {
                if second != error { error.message += "\nand cleaning up failed: \(second.message)" }
            }
            channel.send(.failed(error))
        }
        _exit(0)
    }

    private func role(of process: pid_t) -> String? {
        process == monitor?.process ? "the monitor" : running?.role(of: process)
    }

    private var guardian: Set<pid_t> { Set([running?.guardianPID].compactMap(\.self)) }

    /// Ends the remaining processes and tears the environment down.
    private mutating func clear() throws(SandboxError) {
        guard let running else {
            descendants.end(grace: .zero, sparing: Set([environment.guardianPID].compactMap(\.self)))
            return try environment.recover(from: getpid())
        }
        running.stopServing()
        descendants.end(grace: .zero, sparing: guardian)
        for note in try running.tearDown() { channel.send(.note(note)) }
    }

    /// Follows the command to its end.
    private mutating func watch(
        _ start: CommandLaunch.Start,
        _ running: Environment.Running,
        _ children: SignalQueue
    ) throws(SandboxError) {
        var isStarting = true
        var deadline = command.timeout.map { BootClock.now + $0 }
        let timer = try onSystem(BootTimer())
        defer { timer.close() }
        timer.set(deadline)
        // The reason for ending the command; nil while it is not being ended.
        var reason: CommandEnd?
        var isEnding = false
        var (stopCount, isStopped): (CInt, Bool) = (0, false)
        while true {
            let reports = isStarting ? [start.report] : []
            Wait.untilReadable(reports + [children.descriptor, channel.descriptor, timer.descriptor])
            while children.next() != nil {}
            // Read before the changes, handled after them, so that a request's cause is known by then.
            let requests = Wait.isReadable(channel.descriptor) ? [channel.receive()] : []
            let all = ChildStatus.all()
            // The command's changes last: earlier changes of its network belong to the run.
            let changes = all.filter { $0.process != start.process } + all.filter { $0.process == start.process }
            // After the changes, too: a failure to execute is reported before the process ends.
            if isStarting, Wait.isReadable(start.report) {
                isStarting = false
                if let code = try start.outcome() {
                    let end = CommandEnd.notStarted(code)
                    _ = running.commandHasEnded(end)
                    try clear()
                    return channel.send(.ended(end))
                }
            }
            for (process, status) in changes {
                if process == start.process {
                    if case .stopped(let signal) = status {
                        (stopCount, isStopped) = (stopCount + 1, true)
                        channel.send(.stopped(signal))
                    }
                    if status == .continued {
                        isStopped = false
                        // SIGCONT may have gone to the command alone, so it is forwarded to the launcher.
                        if getppid() == launcher { kill(launcher, SIGCONT) }
                    }
                    guard let end = CommandEnd(status) else { continue }
                    return try finish(reason ?? end, running, children)
                } else if let role = role(of: process) {
                    running.roleHasChanged(of: process, status)
                    if status.isEnd { channel.send(.note("\(role) ended before the command did")) }
                    if case .stopped = status { channel.send(.note("\(role) was stopped while the command ran")) }
                }
            }
            for request in requests {
                switch request {
                case .signal(let signal): kill(start.process, signal)
                case .proceed(let stopNumber):
                    // A shell continues the whole job, so the command may have continued already, and stopped again.
                    // A second SIGCONT would then cancel that next stop.
                    if isStopped, stopNumber == stopCount { kill(start.process, SIGCONT) }
                case .tellProgress:
                    if let progress = running.progress { channel.send(.progress(progress)) }
                case .nameServers(let text):
                    running.nameServersHaveChanged(text.split(separator: "\n").map(String.init))
                case .end:
                    guard reason == nil else { continue }
                    (reason, deadline) = (.failedFast, BootClock.now)
                default:
                    // The launcher has ended, so the command is ended too.
                    try clear()
                    running.keepEvidence()
                    _exit(0)
                }
            }
            if let due = deadline, BootClock.now >= due {
                kill(start.process, isEnding ? SIGKILL : SIGTERM)
                kill(start.process, SIGCONT)
                deadline = isEnding ? nil : due + Self.timeoutGrace
                timer.set(deadline)
                reason = reason ?? .timedOut
                isEnding = true
            }
        }
    }

    /// Reports the end: after the remaining processes have ended, or before with `keepsChildren`.
    private mutating func finish(
        _ end: CommandEnd,
        _ running: Environment.Running,
        _ children: SignalQueue
    ) throws(SandboxError) {
        for note in running.commandHasEnded(end) { channel.send(.note(note)) }
        for text in monitor?.finish(children) ?? [] { channel.send(.report(text)) }
        monitor = nil
        if command.keepsChildren {
            channel.send(.ended(end))
            channel.end()
            while true {
                // Processes that ended together with the command share one SIGCHLD.
                _ = ChildStatus.all()
                guard descendants.children().contains(where: { running.role(of: $0) == nil }) else { break }
                Wait.untilReadable([children.descriptor])
                while children.next() != nil {}
            }
            try clear()
            return
        }
        running.stopServing()
        var survivors = descendants.end(grace: Self.grace, sparing: running.forwarders.union(guardian))
        // A run whose time is over, or whose verdict is made, waits for nothing more.
        if survivors.isEmpty, end != .timedOut, end != .failedFast {
            let note = running.drain { Wait.isReadable(channel.descriptor) }
            if let note { channel.send(.note(note)) }
        }
        survivors += descendants.end(grace: Self.grace, sparing: guardian)
        if !survivors.isEmpty {
            let names = survivors.prefix(8).map { process in
                "\(process)" + (ProcFile("/proc/\(process)/comm").firstLine.map { " (\($0))" } ?? "")
            }
            let count = survivors.count > names.count ? ", \(survivors.count) in all" : ""
            let limit = Descendants.limit.components.seconds
            let list = names.joined(separator: ", ") + count
            channel.send(.note("processes that the command left still run after \(limit) s: \(list)"))
        }
        do {
            for note in try running.tearDown() { channel.send(.note(note)) }
        } catch {
            // The command has ended in any case.
            channel.send(.note(error.message, error.remedy))
        }
        channel.send(.ended(end))
    }
}
