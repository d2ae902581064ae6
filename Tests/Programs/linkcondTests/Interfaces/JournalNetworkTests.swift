// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// The journal's entries belong to one network each, although the kernel gives a network's inode to the next one.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct JournalNetworkTests {
    /// Kernels before 5.14 have no cookies.
    private static let kernels = ["", "withoutCookies(); "]

    @Test(arguments: kernels) func resetAllLeavesASandboxAlone(kernel: String) throws {
        try PrivateLink.check("journal-networks.py", kernel + "resetAllLeavesASandboxAlone()")
    }

    @Test(arguments: kernels) func leavesWhatASupervisorHolds(kernel: String) throws {
        try PrivateLink.check("journal-networks.py", kernel + "leavesWhatASupervisorHolds()")
    }

    @Test func marksANetworkThatTheKernelDoesNotNumber() throws {
        try PrivateLink.check("journal-networks.py", "marksANetworkThatTheKernelDoesNotNumber()")
    }

    /// 10 networks, 60 in a sweep, or 1000 in the soak.
    @Test(arguments: kernels) func nothingLivingIsTouched(kernel: String) throws {
        let rounds = Extent.choose(once: 10, all: 60, soak: 1000)
        let call = kernel + "nothingLivingIsTouched(\(rounds))"
        try PrivateLink.check("journal-networks.py", call, limit: HangLimit.seconds + 5 * rounds)
    }

    @Test func forgetsNetworksThatEndedWhereNobodyAsks() throws {
        try PrivateLink.check("journal-networks.py", "forgetsNetworksThatEndedWhereNobodyAsks()")
    }

    /// One interface's lock is held by a process that is stopped.
    @Test func resetDoesWhatItCan() throws {
        try PrivateLink.check("journal-networks.py", "resetDoesWhatItCan()")
    }

    @Test func findsItsJournalFromTheWorkingDirectoryAtTheStart() throws {
        try PrivateLink.check("journal-networks.py", "findsItsJournalFromTheWorkingDirectoryAtTheStart()")
    }
}
