// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Processes that a command leaves running.
@Suite(.enabled(if: Kernel.hasSandboxes && PrivateWorld.isAvailable, PrivateWorld.need))
struct RunLeftoverTests {
    @Test(arguments: Caller.all)
    func endsWithTheCommand(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsWithTheCommand()")
    }

    @Test(arguments: Caller.all)
    func mayTidyUpFirst(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "mayTidyUpFirst()")
    }

    @Test(arguments: Caller.all)
    func goesOnWhereAskedTo(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "goesOnWhereAskedTo()")
    }

    /// A child that ends with the command shares its SIGCHLD; the relay to the host delays nothing.
    @Test(arguments: Caller.all)
    func keepsNothingWhereNothingIsLeft(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "keepsNothingWhereNothingIsLeft()")
    }

    @Test(arguments: Caller.all)
    func endsHoweverFastItForks(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsHoweverFastItForks()")
    }

    @Test(arguments: Caller.all)
    func endsHoweverManyConnectionsItHolds(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsHoweverManyConnectionsItHolds()")
    }

    @Test(arguments: Caller.all)
    func endsAStormOfForks(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsAStormOfForks()")
    }

    @Test(arguments: Caller.all)
    func endsAStormOfForksOnABusyMachine(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsAStormOfForksOnABusyMachine()")
    }

    /// Where the caller may make a control group, the kernel ends all that is in it at once.
    @Test(.enabled(if: Kernel.hasControlGroups, "needs control groups that can be killed"), arguments: Caller.all)
    func endsTogetherInAControlGroup(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "endsTogetherInAControlGroup()")
    }

    @Test(.enabled(if: Kernel.hasControlGroups, "needs control groups that can be killed"), arguments: Caller.all)
    func leavesNoControlGroup(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "leavesNoControlGroup()")
    }

    /// Programs read how much memory they may take in the group that they are in.
    @Test(.enabled(if: Kernel.hasControlGroups, "needs control groups that can be killed"))
    func staysWhereTheGroupHasLimits() throws {
        try PrivateWorld.check(.tester, "run-leftover.py", "staysWhereTheGroupHasLimits()")
    }

    @Test(arguments: Caller.all)
    func costsNoMemory(caller: Caller) throws {
        try PrivateWorld.check(caller, "run-leftover.py", "costsNoMemory()")
    }
}
