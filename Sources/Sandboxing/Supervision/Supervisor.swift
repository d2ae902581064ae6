// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// The process that makes the command's environment, starts the command in it, and takes the environment away.
struct Supervisor<Place: ExecutionEnvironment> {
    /// The process in launcher, while it is our parent.
    let launcher: pid_t
    let channel: MessageSocket
    let wrapping: Wrapping
    let launch: ([(name: String, value: String)]) -> CommandLaunch
    var place: Place
    var monitor: MonitorProcess?

    /// What is left behind gets this long between the request to end and the end.
    private static var grace: Duration { .milliseconds(500) }
    /// A command that ran into its time limit gets this long.
    private static var timeoutGrace: Duration { .seconds(5) }

    /// Does all of it and ends the process.
    mutating func run() -> Never {
        do {
            try checked(lc_inherit_orphans(), "inherit orphans")
            let children = try onSystem { () throws(SystemError) in try SignalQueue([SIGCHLD]) }
            for note in try place.setUp(watching: channel.descriptor) { channel.send(.note(note)) }
            if let arguments = wrapping.monitor {
                monitor = try MonitorProcess.start(arguments, place.environment)
            }
            channel.send(.ready)
            guard channel.receive() == .begin else {
                // Nobody wants it any more.
                try clear()
                _exit(0)
            }
            let start = try launch(place.environment).start()
            channel.send(.started(start.process))
            Descriptors.closeInherited(keepsStandardError: false)
            place.serve()
            try watch(start, children)
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
        process == monitor?.process ? "the monitor" : place.role(of: process)
    }

    /// Ends what is left and takes the place away.
    private mutating func clear() throws(SandboxError) {
        Descendants.end(grace: .zero, sparing: place.guardianPID)
        for note in try place.tearDown() { channel.send(.note(note)) }
    }

    /// Goes with the command to its end.
    private mutating func watch(_ start: CommandLaunch.Start, _ children: SignalQueue) throws(SandboxError) {
        let command = start.process
        var isStarting = true
        let clock = ContinuousClock()
        var deadline = wrapping.timeout.map { clock.now + $0 }
        var isTimedOut = false
        var (stops, isStopped): (CInt, Bool) = (0, false)
        while true {
            let limit = deadline.map { $0 - clock.now }
            let reports = isStarting ? [start.report] : []
            Wait.untilReadable(reports + [children.descriptor, channel.descriptor], limit: limit)
            while children.next() != nil {}
            // Read before the changes, obeyed behind them: what led to a request is known by then.
            let requests = Wait.isReadable(channel.descriptor) ? [channel.receive()] : []
            let changes = ChildStatus.all()
            // Behind the changes, too: what could not be executed has said so before its end.
            if isStarting, Wait.isReadable(start.report) {
                isStarting = false
                if let code = try start.outcome() {
                    try clear()
                    return channel.send(.ended(.notStarted(code)))
                }
            }
            for (process, status) in changes {
                if process == command {
                    if case .stopped(let signal) = status {
                        (stops, isStopped) = (stops + 1, true)
                        channel.send(.stopped(signal))
                    }
                    if status == .continued {
                        isStopped = false
                        // Whoever let the command go on need not know of the process that stopped with it.
                        if getppid() == launcher { kill(launcher, SIGCONT) }
                    }
                    guard let end = CommandEnd(status) else { continue }
                    return try finish(isTimedOut ? .timedOut : end, children)
                } else if let role = role(of: process), CommandEnd(status) != nil {
                    channel.send(.note("\(role) ended before the command did"))
                }
            }
            for request in requests {
                switch request {
                case .signal(let signal): kill(command, signal)
                case .proceed(let stop):
                    // A shell lets all of a job go on: told once more, the command would miss the next key to stop it.
                    if isStopped, stop == stops { kill(command, SIGCONT) }
                default:
                    // Nobody is in launcher any more: the command goes too.
                    try clear()
                    _exit(0)
                }
            }
            if let due = deadline, clock.now >= due {
                kill(command, isTimedOut ? SIGKILL : SIGTERM)
                kill(command, SIGCONT)
                deadline = isTimedOut ? nil : due + Self.timeoutGrace
                isTimedOut = true
            }
        }
    }

    /// Tells the end, after or before what is left behind has ended.
    private mutating func finish(_ end: CommandEnd, _ children: SignalQueue) throws(SandboxError) {
        for text in monitor?.finish(children) ?? [] { channel.send(.report(text)) }
        monitor = nil
        if wrapping.keepsChildren {
            channel.send(.ended(end))
            channel.end()
            while true {
                // Those that ended together with the command are told of only once.
                _ = ChildStatus.all()
                guard Descendants.children().contains(where: { place.role(of: $0) == nil }) else { break }
                Wait.untilReadable([children.descriptor])
                while children.next() != nil {}
            }
            try clear()
            return
        }
        let isClear = Descendants.end(grace: Self.grace, sparing: place.guardianPID)
        if !isClear { channel.send(.note("a process that the command left behind does not end")) }
        do {
            for note in try place.tearDown() { channel.send(.note(note)) }
        } catch {
            // The command has had its end all the same.
            channel.send(.note(error.description))
        }
        channel.send(.ended(end))
    }
}
