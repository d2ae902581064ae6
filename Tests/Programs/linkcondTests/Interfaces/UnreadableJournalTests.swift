// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A journal that cannot be read may hold anything, so that nothing is said of it, or put in its place.
@Suite struct UnreadableJournalTests {
    @Test(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"), arguments: ["on", "status", "reset"])
    func isNotTakenForAnEmptyOne(command: String) throws {
        let outcome = try Program.isolatedShell("LINKCOND_STATE_DIR=/etc/passwd exec \"$LINKCOND\" \(command)")
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("the journal cannot be read: cannot use /etc/passwd: Not a directory"))
        #expect(outcome.errors.contains("try: the command again"))
        #expect(!outcome.errors.contains("nothing is"))
    }

    @Test(
        .enabled(if: PrivateLink.isAvailable, PrivateLink.need),
        arguments: [
            "keepsWhatIsSuspended()", "keepsWhatIsApplied()", "isResetAllTheSame()", "isDeletedByAReset()",
            "keepsNoGuardianFromItsDuties()",
        ]
    )
    func losesNothingWhereAnEntryCannotBeRead(case name: String) throws {
        try PrivateLink.check("unreadable-journal.py", name)
    }

    /// Swift finds a program's arguments there; without any, the help would be printed as if it had been asked for.
    @Test(.enabled(if: Kernel.isRoot && Kernel.hasNamespaces, "needs root, to hide a file"), arguments: ["on", "run"])
    func fails(command: String) throws {
        let line = "mount --bind /dev/null /proc/$$/maps && exec \"$LINKCOND\" \(command) LTE"
        let outcome = try Program.start(["unshare", "--mount", "/bin/sh", "-c", line])
        #expect(outcome.status == 71 && outcome.output.isEmpty)
        #expect(outcome.errors == "linkcond: cannot read the command line from /proc/self/maps\n")
    }
}
