// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Nothing is left of a sandbox, however it ends.
@Suite(.serialized, .enabled(if: Kernel.hasSandboxes && PrivateWorld.isAvailable, PrivateWorld.need))
struct RunCleanupTests {
    /// Ways to end a run whose front process is `front`, and what status that gives where it is known.
    static let ways = [
        ("the process in front", "os.kill(front, signal.SIGKILL)"),
        ("the keeper", "os.kill((children(front) or [front])[0], signal.SIGKILL)"),
        ("the process group", "os.killpg(front, signal.SIGKILL)"),
        ("the program, politely", "os.kill(front, signal.SIGTERM)"),
    ]

    private static func end(_ caller: Caller, how statement: String, run: String, rounds: Int, pause: Double) throws {
        try PrivateWorld.check(
            caller,
            """
            commands = [
                ["sleep", "60"],
                ["sh", "-c", "setsid sleep 60 & exec sleep 60"],
                ["sh", "-c", "(setsid sh -c 'sleep 60 & exec sleep 60' &); exec sleep 60"],
                ["sh", "-c", "trap '' HUP INT; sleep 60 & exec sleep 60"],
            ]
            if "SIGTERM" not in \(String(reflecting: statement)):
                commands.append(["sh", "-c", "trap '' TERM; sleep 60"])
            before = traces()
            for number in range(\(rounds)):
                front = start(\(run) + commands[number % len(commands)])
                # A group is there once its leader has made it.
                until(lambda: os.getpgid(front) == front, "the process group")
                if number % 6:
                    pause(\(pause))
                else:
                    until(lambda: named("sleep"), "the command")
                \(statement)
                gone("round %d" % number)
                if traces() != before:
                    fail("round %d left %s" % (number, traces()))
            """
        )
    }

    @Test(arguments: Caller.all, ways)
    func leavesNothingWhenKilledAtAnyMoment(caller: Caller, way: (name: String, statement: String)) throws {
        try Self.end(caller, how: way.statement, run: "RUN", rounds: 50, pause: 0.06)
    }

    @Test(
        .enabled(if: Kernel.isRoot && Kernel.hasUplink, "needs root, /dev/net/tun and slirp4netns"),
        arguments: ways
    )
    func leavesNoUplinkWhenKilledAtAnyMoment(way: (name: String, statement: String)) throws {
        let run = "[PROGRAM, 'run', '--']"
        try Self.end(.tester, how: way.statement, run: run, rounds: 20, pause: 0.12)
    }

    @Test(arguments: Caller.all)
    func saysThatTheKeeperWasKilled(caller: Caller) throws {
        let command = try RunningCommand(
            Installation(for: caller).wrapping(["sh", "-c", "echo $PPID; exec sleep 60"])
        )
        kill(try #require(try command.line().flatMap { pid_t($0) }), SIGKILL)
        #expect(try command.end() == .exited(125))
    }
}
