// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// An interface's conditions, carried by a pump on this machine's kernel.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct InterfaceUserspaceTests {
    /// LTE is 65 ms up and 50 ms down.
    @Test func delaysBothWaysAndLeavesNothing() throws {
        try PrivateLink.check("interface-userspace.py", "delaysBothWaysAndLeavesNothing()")
    }

    @Test func losesNothingWhenSwitched() throws {
        try PrivateLink.check("interface-userspace.py", "losesNothingWhenSwitched()")
    }

    /// What was in the pump that is killed is lost, and what a filter picks until it is deleted: some 50 ms. A busy
    /// machine gets more time here.
    @Test(arguments: ["lc-pump", "lc-guardian", "lc-standby"], [9, 15])
    func isRemovedWhicheverProcessIsKilled(process: String, signal: Int) throws {
        try PrivateLink.check("interface-userspace.py", "isRemovedWhicheverProcessIsKilled('\(process)', \(signal))")
    }

    /// No process is left to repair it, so the next command does.
    @Test func repairsAfterAllAreKilled() throws {
        try PrivateLink.check("interface-userspace.py", "repairsAfterAllAreKilled()")
    }

    @Test func saysWhatItReplacesAndRemoves() throws {
        try PrivateLink.check("interface-userspace.py", "saysWhatItReplacesAndRemoves()")
    }

    @Test func endsWithItsTimeAndWithItsCommand() throws {
        try PrivateLink.check("interface-userspace.py", "endsWithItsTimeAndWithItsCommand()")
    }

    @Test(arguments: ["lc-pump", "lc-guardian", "lc-standby", "lc-supervisor", "linkcond"])
    func nothingOfARunRemainsWhicheverProcessIsKilled(process: String) throws {
        try PrivateLink.check("interface-userspace.py", "nothingOfARunRemainsWhicheverProcessIsKilled('\(process)')")
    }

    @Test func isCommandedFromOutsideItsNetworkAlone() throws {
        try PrivateLink.check("interface-userspace.py", "isCommandedFromOutsideItsNetworkAlone()")
    }

    @Test func isTakenOffWhenItsPumpIsStopped() throws {
        try PrivateLink.check("interface-userspace.py", "isTakenOffWhenItsPumpIsStopped()")
    }

    @Test func leavesNoStoppedPump() throws {
        try PrivateLink.check("interface-userspace.py", "leavesNoStoppedPump()")
    }

    /// A page of the program that is on such a disk would have to come through the conditions.
    @Test func keepsItsMemoryWhereDisksAreElsewhere() throws {
        try PrivateLink.check("interface-userspace.py", "keepsItsMemoryWhereDisksAreElsewhere()")
    }

    @Test func isPutBackAsItWas() throws {
        try PrivateLink.check("interface-userspace.py", "isPutBackAsItWas()")
    }

    /// Whatever the order in which they were applied.
    @Test func hasTheMostSpecificRule() throws {
        try PrivateLink.check("interface-userspace.py", "hasTheMostSpecificRule()")
    }

    @Test func keepsTheOrderOfEqualRules() throws {
        try PrivateLink.check("interface-userspace.py", "keepsTheOrderOfEqualRules()")
    }

    @Test func losesNothingWhileRulesMove() throws {
        try PrivateLink.check("interface-userspace.py", "losesNothingWhileRulesMove()")
    }

    /// netem has no schedules and no recordings.
    @Test func isTakenForWhatNetemCannotDo() throws {
        try PrivateLink.check("interface-userspace.py", "isTakenForWhatNetemCannotDo()")
    }

    @Test func switchesToARecordingAndBack() throws {
        try PrivateLink.check("interface-userspace.py", "switchesToARecordingAndBack()")
    }

    @Test func saysWhatItCannotDoAndChangesNothing() throws {
        try PrivateLink.check("interface-userspace.py", "saysWhatItCannotDoAndChangesNothing()")
    }

    /// The rule in the kernel still belongs to its guardian.
    @Test func goesOnWithoutItsEntry() throws {
        try PrivateLink.check("interface-userspace.py", "goesOnWithoutItsEntry()")
    }

    /// Conditions can be removed although their process does not answer.
    @Test func isTakenOffWhereItsProcessIsStopped() throws {
        try PrivateLink.check("interface-userspace.py", "isTakenOffWhereItsProcessIsStopped()")
    }

    @Test func isNotSuspendedUnderACommand() throws {
        try PrivateLink.check("interface-userspace.py", "isNotSuspendedUnderACommand()")
    }

    /// A process in a network keeps it alive.
    @Test func endsWhenItsNetworkIsDeserted() throws {
        try PrivateLink.check("interface-userspace.py", "endsWhenItsNetworkIsDeserted()")
    }
}
