// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Signals to `run` are signals to the command.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunSignalTests {
    @Test(arguments: Caller.all, [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2])
    func reachTheCommand(caller: Caller, signal: Int32) throws {
        let line = "trap 'echo reached; exit 3' \(signal); sleep 1000 & echo ready; wait"
        let command = try RunningCommand(program: Installation(for: caller).wrapping(["sh", "-c", line]))
        #expect(try command.line() == "ready")
        command.send(signal)
        #expect(try command.line() == "reached")
        #expect(try command.end() == .exited(3))
    }

    @Test(arguments: Caller.all)
    func endTheCommandThatDoesNotMind(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo ready; exec sleep 1000"])
        )
        #expect(try command.line() == "ready")
        command.send(SIGTERM)
        #expect(try command.end() == .killed(SIGTERM))
    }

    @Test(arguments: Caller.all)
    func stopTheCommandAndLetItGoOn(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo $$; while read word; do echo $word; done"])
        )
        let inner = try #require(try command.line().flatMap { pid_t($0) })
        command.send(SIGTSTP)
        try RunningCommand.wait(for: "T", of: inner)
        try RunningCommand.wait(for: "T", of: command.number)
        command.send(SIGCONT)
        try RunningCommand.wait(for: "S", of: inner)
        try RunningCommand.wait(for: "S", of: command.number)
        try command.write("word\n")
        #expect(try command.line() == "word")
        command.send(SIGINT)
        #expect(try command.end() == .killed(SIGINT))
    }

    @Test(arguments: Caller.all, ["STOP", "TSTP", "TTIN"])
    func stopTheProgramWithTheCommand(caller: Caller, name: String) throws {
        let line = "kill -\(name) $$; echo on; exit 4"
        let command = try RunningCommand(program: Installation(for: caller).wrapping(["sh", "-c", line]))
        try RunningCommand.wait(for: "T", of: command.number)
        command.send(SIGCONT)
        #expect(try command.line() == "on")
        #expect(try command.end() == .exited(4))
    }

    @Test(arguments: Caller.all)
    func letTheProgramGoOnWithTheCommand(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo $$; while read word; do echo $word; done"])
        )
        let inner = try #require(try command.line().flatMap { pid_t($0) })
        for _ in 0..<3 {
            kill(inner, SIGSTOP)
            try RunningCommand.wait(for: "T", of: command.number)
            kill(inner, SIGCONT)
            try RunningCommand.wait(for: "S", of: command.number)
            try command.write("word\n")
            #expect(try command.line() == "word")
        }
        kill(inner, SIGKILL)
        #expect(try command.end() == .killed(SIGKILL))
    }

    @Test(arguments: Caller.all)
    func stopTheProgramAloneWhereTheyCannotBeCaught(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo ready; read word; echo $word; exit 5"])
        )
        #expect(try command.line() == "ready")
        command.send(SIGSTOP)
        try RunningCommand.wait(for: "T", of: command.number)
        try command.write("word\n")
        #expect(try command.line() == "word")
        #expect(try command.line() == nil)
        #expect(command.isRunning)
        command.send(SIGCONT)
        #expect(try command.end() == .exited(5))
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: Caller.all)
    func preventTheCommandOrReachIt(caller: Caller) throws {
        // The command finds a signal even if that came before it could ask for it: it is held back.
        try PrivateWorld.check(caller, "run-signal.py", "preventTheCommandOrReachIt()")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: Caller.all)
    func changeNothingWhereTheyAreIgnored(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-signal.py", "changeNothingWhereTheyAreIgnored()")
    }

    /// The first signal ends the reading of the packets, and the verdict is about what was read; the second one ends the
    /// program, here while it waits to print the verdict.
    @Test(.enabled(if: Kernel.canPump, "needs /dev/net/tun"), arguments: [[SIGINT], [SIGTERM], [SIGINT, SIGTERM]])
    func endTheReadingForAVerdict(signals: [Int32]) throws {
        let files = try TemporaryDirectory()
        let result = try Program.start(
            ["/usr/bin/python3", "-c", Script("verdict-signal.py").text, Program.path] + signals.map { "\($0)" },
            directory: files.path
        )
        #expect(result.output == "-\(signals[signals.count - 1])\n", "\(result)")
        let words = #/inconclusive .* the reading of the packets was interrupted/#
        #expect(result.errors.contains(words) == (signals.count == 1), "\(result)")
    }
}
