// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import TestKit
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// What cannot be read may hold anything: it is neither nothing, nor to be replaced.
@Suite struct UnreadableJournalTests {
    private let directory: TemporaryDirectory
    private var journal: Journal { Journal(directory: directory.path) }
    private var entry: String { "\(directory.path)/cookie4097-2.entry" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func isNoAbsentEntry() throws {
        // A directory, which even root cannot read(2).
        #expect(mkdir(entry, 0o700) == 0)
        let error = SystemError(operation: "read \(entry)", code: EISDIR)
        #expect(journal.read(2, in: .here) == .unreadable(error))
        #expect(ConditioningError(reading: error).message == "the journal cannot be read: \(error)")
    }

    @Test func isNoEmptyDirectory() throws {
        try SmallFile.create(entry, [])
        #expect(throws: SystemError(operation: "list \(entry)", code: ENOTDIR)) {
            try Journal(directory: entry).files()
        }
    }

    /// A command that removes one rule knows nothing of the others then.
    @Test func keepsItsEntryUnlessAllIsRemoved() throws {
        try journal.write(.full)
        let record = InterfaceRecord(.made(), journal, isUnreadable: true)
        record.tidy(.unreadable(SystemError(operation: "read", code: EIO)), present: [])
        try record.begin(leadingTo: .made(), selection: nil, isRemoval: true, commits: false)
        Removal(plan: Plan(), selection: Selection(), record: record).finish()
        #expect(journal.read(2, in: .here) == .entry(.full))
        Removal(plan: Plan(), selection: nil, record: record).finish()
        #expect(journal.read(2, in: .here) == .absent)
    }

    /// A guardian that inherited an interface's lock, and kept it, would lock out every other process.
    @Test func closesWhatMayBeOpenWhereTheListOfDescriptorsCannotBeRead() throws {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(Descriptors.listed().contains(descriptor))
        #expect(Descriptors.listed(in: "\(directory.path)/none").contains(descriptor))
    }
}
