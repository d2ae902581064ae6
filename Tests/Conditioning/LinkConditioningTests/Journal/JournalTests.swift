// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

@Suite struct JournalTests {
    private final class Directory {
        let path = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)").path
        var journal: Journal { Journal(directory: path) }

        init() throws {
            try JournalDirectory.prepare(path, creating: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }
    }

    @Test func keepsOneFileForEachInterface() throws {
        let directory = try Directory()
        var other = JournalEntry.full
        other.index = 3
        try directory.journal.write(.full)
        try directory.journal.write(other)
        #expect(directory.journal.read(2, in: .here) == .entry(.full))
        #expect(directory.journal.read(3, in: .here) == .entry(other))
        #expect(directory.journal.read(4, in: .here) == .absent)
        #expect(try directory.journal.files().map(\.index) == [2, 3])
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func needsNoFileForNothing() throws {
        let directory = try Directory()
        try directory.journal.write(.full)
        try directory.journal.write(.made())
        #expect(try directory.files.isEmpty)
    }

    @Test func holdsWhatIsBeingDoneUntilItIsDone() throws {
        let directory = try Directory()
        let before = JournalEntry.made(change: .made("apply"))
        let after = JournalEntry.made([.made(.slowNet)])
        try directory.journal.begin(before, leadingTo: after)
        #expect(directory.journal.read(2, in: .here) == .entry(before))
        try directory.journal.commit(after)
        #expect(directory.journal.read(2, in: .here) == .entry(after))
        #expect(try directory.files == ["cookie4097-2.entry"])
    }

    /// A process that is killed while it holds a lock leaves the file.
    @Test func deletesUnusedLockFiles() throws {
        let directory = try Directory()
        let journal = directory.journal
        try journal.write(.full)
        _ = try journal.lock(2, in: .here, command: "apply", lockTimeout: .zero)
        _ = try journal.lock(3, in: .here, command: "apply", lockTimeout: .zero)
        let held = try journal.lock(4, in: .here, command: "apply", lockTimeout: .zero)
        journal.removeLeftoverFiles()
        #expect(try directory.files == ["cookie4097-2.entry", "cookie4097-2.lock", "cookie4097-4.lock"])
        withExtendedLifetime(held) {}
    }

    /// A process that is killed before the first entry of an interface is in place leaves what that was to become.
    @Test func deletesEntriesThatWereBeingWritten() throws {
        let directory = try Directory()
        let journal = directory.journal
        try journal.write(.full)
        for name in ["cookie4097-2.next", "cookie4097-3.next", "cookie4097-3.new", "cookie4097-4.next"] {
            try SmallFile.create("\(directory.path)/\(name)", [])
        }
        let held = try journal.lock(4, in: .here, command: "apply", lockTimeout: .zero)
        journal.removeLeftoverFiles()
        #expect(
            try directory.files == [
                "cookie4097-2.entry", "cookie4097-2.next", "cookie4097-4.lock", "cookie4097-4.next",
            ]
        )
        withExtendedLifetime(held) {}
    }

    /// An entry of format 2, whose file is named by the inode, which a later network can have.
    @Test func reportsAnEntryOfTheFormatBefore() throws {
        let directory = try Directory()
        let journal = directory.journal
        let bytes = JournalReading.bytes(of: .full)
        let old = Array("linkcond-journal 2".utf8) + bytes.dropFirst("linkcond-journal 2".utf8.count)
        try SmallFile.create("\(directory.path)/4026531840-2.entry", old)
        #expect(journal.read(2, in: .here) == .otherVersion("2"))
        #expect(journal.read(3, in: .here) == .absent)
        #expect(try journal.files().map(\.network) == [.inode(4_026_531_840)])
        // A reset deletes it.
        try journal.write(.made())
        #expect(try directory.files.isEmpty)
    }

    @Test(arguments: [JournalFile.Network.number(.cookie(.max)), .number(.mark(.max)), .number(.mark(0)), .inode(7)])
    func readsTheFileNamesThatItGives(network: JournalFile.Network) {
        let file = JournalFile(.max, in: network)
        #expect(JournalFile(name: "\(file.stem).entry") == file)
    }

    @Test(arguments: [
        "", ".entry", "cookie1-2", "cookie-2.entry", "mark1.entry", "mark-2.entry", "cookiex-2.entry", "-2.entry",
    ])
    func leavesFilesOfOthersAlone(name: String) {
        #expect(JournalFile(name: name) == nil)
    }

    /// The disk is full when a change that failed is taken back.
    @Test func keepsTheEntryWhereTheOneBeforeCannotBeWritten() throws {
        let directory = try Directory()
        let journal = directory.journal
        let before = JournalEntry.made([.made(.slowNet)])
        try journal.write(before)
        let lock = try journal.lock(2, in: .here, command: "switch", lockTimeout: .zero)
        let record = InterfaceRecord(before, journal, lock, command: "switch")
        try record.begin(leadingTo: .made([.made(.blackHole)]), selection: Selection(), isRemoval: false, commits: true)
        // No file can replace a directory.
        let obstacle = "\(directory.path)/cookie4097-2.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        record.restore(before)
        guard case .entry(let kept) = journal.read(2, in: .here) else {
            Issue.record("no entry is left")
            return
        }
        #expect(kept.rules == before.rules && kept.change?.command == "switch")
        try FileManager.default.removeItem(atPath: obstacle)
        record.restore(before)
        #expect(journal.read(2, in: .here) == .entry(before))
        #expect(try directory.files == ["cookie4097-2.entry", "cookie4097-2.lock"])
    }

    /// A process may be killed between any two calls.
    @Test func hasAnEntryAtEachMomentOfRestoring() throws {
        let directory = try Directory()
        let journal = directory.journal
        let before = JournalEntry.made([.made(.slowNet)])
        try journal.write(before)
        try journal.begin(before, leadingTo: .made([.made(.blackHole)]))
        let deleted = try DeletedFiles(from: directory.path)
        try journal.restore(before)
        #expect(deleted.names() == ["cookie4097-2.next"])
        #expect(journal.read(2, in: .here) == .entry(before))
    }

    @Test func refusesADirectoryOfOthers() throws {
        let directory = try Directory()
        chmod(directory.path, 0o777)
        #expect(throws: SystemError.self) { try JournalDirectory.prepare(directory.path, creating: true) }
        let link = "\(directory.path)-link"
        symlink(directory.path, link)
        defer { unlink(link) }
        #expect(throws: SystemError.self) { try JournalDirectory.prepare(link, creating: true) }
    }

    /// /run may be no tmpfs, so the directory alone does not tell.
    @Test func isOfThisBoot() throws {
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(JournalNetwork.currentBootID == boot.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func liesWhereARestartCleans() {
        func choice(_ variables: [String: String], isRoot: Bool, apart: Bool = false) -> JournalDirectory {
            JournalDirectory(environment: { variables[$0] }, isRoot: isRoot, hasOwnUserNamespace: apart)
        }
        let user = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        #expect(choice(user, isRoot: true).candidates == ["/run/linkcond"])
        #expect(choice(user, isRoot: true).isRequired)
        #expect(choice(user, isRoot: true, apart: true).candidates == ["/run/linkcond", "/run/user/1000/linkcond"])
        #expect(!choice(user, isRoot: true, apart: true).isRequired)
        #expect(choice(user, isRoot: false).candidates == ["/run/user/1000/linkcond"])
        #expect(choice([:], isRoot: false).candidates.isEmpty)
        #expect(choice(["XDG_RUNTIME_DIR": "here"], isRoot: false).candidates.isEmpty)
        #expect(choice(["LINKCOND_STATE_DIR": "/tmp/j"], isRoot: true).candidates == ["/tmp/j"])
        #expect(choice(["LINKCOND_STATE_DIR": "/tmp/j"], isRoot: false).isRequired)
        // A guardian has another working directory.
        let relative = JournalDirectory(
            environment: { $0 == "LINKCOND_STATE_DIR" ? "j" : nil },
            isRoot: true,
            hasOwnUserNamespace: false,
            workingDirectory: "/home/me"
        )
        #expect(relative.candidates == ["/home/me/j"])
    }
}
