// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Nothing of a sandbox remains, however it ends.
@Suite(.serialized, .enabled(if: Kernel.hasSandboxes && PrivateWorld.isAvailable, PrivateWorld.need))
struct RunCleanupTests {
    /// Ways to end a run: the functions of run-cleanup.py.
    static let ways = ["killLauncher", "killSupervisor", "killGroup", "endPolitely"]

    @Test(arguments: Caller.all, ways)
    func leavesNothingWhenKilledAtAnyMoment(caller: Caller, way: String) throws {
        try PrivateWorld.check(caller, "run-cleanup.py", "leavesNothing(\(way), RUN, 50, 0.06)")
    }

    @Test(
        .enabled(if: Kernel.isRoot && Kernel.hasUplink, "needs root and /dev/net/tun"),
        arguments: ways
    )
    func leavesNoUplinkWhenKilledAtAnyMoment(way: String) throws {
        try PrivateWorld.check(.tester, "run-cleanup.py", "leavesNothing(\(way), [PROGRAM, 'run', '--'], 20, 0.12)")
    }

    @Test(arguments: Caller.all)
    func endsTheMonitorIfNoProcessIsLeftToEndIt(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-cleanup.py", "killsBoth()")
    }

    @Test(arguments: Caller.all)
    func failsIfTheSupervisorIsKilled(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo $PPID; exec sleep 1000"])
        )
        kill(try #require(try command.line().flatMap { pid_t($0) }), SIGKILL)
        #expect(try command.end() == .exited(125))
    }

    /// Without root, too, the command may stop it.
    @Test(arguments: Caller.all)
    func endsInTimeThoughItsSupervisorIsStopped(caller: Caller) throws {
        let result = try Installation(for: caller).shell(
            #""$LINKCOND" run --offline --timeout 1s -- sh -c 'kill -STOP $PPID; exec sleep 1000'; echo $?"#
        )
        #expect(result.output == "124\n", "\(result)")
    }

    @Test(arguments: Caller.all)
    func endsBySignalThoughItsSupervisorIsStopped(caller: Caller) throws {
        let result = try Installation(for: caller).shell(
            """
            file=$(mktemp)
            "$LINKCOND" run --offline -- sh -c 'kill -STOP $PPID; echo >$1; exec sleep 1000' sh $file & run=$!
            until [ -s $file ]; do sleep 0.05; done; rm $file; kill -TERM $run; wait $run; echo $?
            """
        )
        #expect(result.output == "143\n", "\(result)")
    }
}
