// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// The journal's entries belong to one network each, although the kernel gives a network's inode to the next one.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct JournalNetworkTests {
    private static let isSoak = getenv("LINKCOND_SOAK").map { String(cString: $0) } == "1"

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

    /// 60 networks, or 1000 where LINKCOND_SOAK is 1.
    @Test(arguments: kernels) func nothingLivingIsTouched(kernel: String) throws {
        let rounds = Self.isSoak ? 1000 : 60
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
