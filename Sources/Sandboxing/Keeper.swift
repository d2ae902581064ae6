// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// The process that makes the surroundings, starts the command in them, and leaves nothing behind.
struct Keeper<Place: Surroundings> {
    let channel: MessageSocket
    let wrapping: Wrapping
    let launch: ([(name: String, value: String)]) -> CommandLaunch
    var surroundings: Place

    /// What is left behind gets this long between the request to end and the end.
    private static var grace: Duration { .milliseconds(500) }
    /// A command that ran into its time limit gets this long.
    private static var timeoutGrace: Duration { .seconds(5) }

    /// Does all of it and ends the process.
    mutating func run() -> Never {
        do {
            try checked(lc_inherit_orphans(), "inherit orphans")
            let children = try SignalQueue([SIGCHLD])
            for note in try surroundings.enter(watching: channel.descriptor) { channel.send(.note(note)) }
            switch try launch(surroundings.environment).start() {
            case .started(let command):
                channel.send(.started)
                Descriptors.letGo(keepingErrors: false)
                surroundings.serve(for: command)
                try watch(command, children)
            case .notStarted(let code):
                try clear()
                channel.send(.ended(.notStarted(code)))
            }
        } catch {
            var error = error
            do {
                try clear()
            } catch let second {
                error.message += "\nand cleaning up failed: \(second.message)"
            }
            channel.send(.failed(error))
        }
        _exit(0)
    }

    /// Ends what is left and takes the surroundings away.
    private mutating func clear() throws(SandboxError) {
        Descendants.end(grace: .zero)
        for note in try surroundings.leave() { channel.send(.note(note)) }
    }

    /// Goes with the command to its end.
    private mutating func watch(_ command: pid_t, _ children: SignalQueue) throws(SandboxError) {
        let clock = ContinuousClock()
        var deadline = wrapping.timeout.map { clock.now + $0 }
        var isTimedOut = false
        while true {
            let limit = deadline.map { $0 - clock.now }
            Wait.untilReadable([children.descriptor, channel.descriptor], limit: limit)
            while children.next() != nil {}
            while let (process, status) = ChildStatus.next() {
                if process == command {
                    if case .stopped(let signal) = status { channel.send(.stopped(signal)) }
                    guard let end = CommandEnd(status) else { continue }
                    return try finish(isTimedOut ? .timedOut : end, children)
                } else if let duty = surroundings.duty(of: process), CommandEnd(status) != nil {
                    channel.send(.note("\(duty) ended before the command did"))
                }
            }
            if Wait.isReadable(channel.descriptor) {
                guard case .signal(let signal) = channel.receive() else {
                    // Nobody is in front any more: the command goes too.
                    try clear()
                    _exit(0)
                }
                kill(command, signal)
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
        if wrapping.keepsChildren {
            channel.send(.ended(end))
            channel.close()
            while Descendants.children().contains(where: { surroundings.duty(of: $0) == nil }) {
                Wait.untilReadable([children.descriptor])
                while children.next() != nil {}
                while ChildStatus.next() != nil {}
            }
            try clear()
            return
        }
        let isClear = Descendants.end(grace: Self.grace)
        if !isClear { channel.send(.note("a process that the command left behind does not end")) }
        for note in try surroundings.leave() { channel.send(.note(note)) }
        channel.send(.ended(end))
    }
}
