// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// At a terminal: its keys, its size and its end do to a wrapped command what they do to any.
@Suite(.enabled(if: Kernel.hasSandboxes && PrivateWorld.isAvailable, PrivateWorld.need))
struct RunTerminalTests {
    @Test(arguments: Caller.all)
    func showTheSameTerminal(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "showTheSameTerminal()")
    }

    @Test(arguments: Caller.all)
    func endALoopWithOneKey(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "endALoopWithOneKey()")
    }

    @Test(arguments: Caller.all)
    func stopWithAKeyAndContinueInForeground(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "stopWithAKeyAndContinueInForeground()")
    }

    @Test(arguments: Caller.all)
    func goOnInTheBackground(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "goOnInTheBackground()")
    }

    @Test(arguments: Caller.all)
    func controlJobsInside(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "controlJobsInside()")
    }

    @Test(arguments: Caller.all)
    func endWithTheTerminal(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-terminal.py", "endWithTheTerminal()")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to run commands for others"))
    func typesNothingForTheCaller() throws {
        try PrivateWorld.check(.tester, "run-terminal.py", "typeNothingForTheCaller()")
    }
}
