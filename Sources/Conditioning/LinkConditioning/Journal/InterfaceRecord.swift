// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import TrafficControl

/// The journal's record of one interface during a change: the lock, and the entry before and after.
///
/// Without a journal every method succeeds and does nothing.
final class InterfaceRecord {
    /// The interface's entry; nil without a journal.
    private(set) var entry: JournalEntry?
    let journal: Journal?
    private let lock: (any FileLock)?
    private let command: String
    /// Whether the entry on the disk could not be read. It is then kept, unless it is removed as a whole.
    let isUnreadable: Bool
    /// The reason why `settle` could neither replace nor delete an outdated entry; nil if it could.
    private(set) var outdated: SystemError?

    var isJournalled: Bool { journal != nil && entry != nil }

    init(
        _ entry: JournalEntry? = nil,
        _ journal: Journal? = nil,
        _ lock: (any FileLock)? = nil,
        command: String = "",
        isUnreadable: Bool = false
    ) {
        self.entry = entry
        self.journal = journal
        self.lock = lock
        self.command = command
        self.isUnreadable = isUnreadable
    }

    deinit {
        // An interface without an entry needs no lock file.
        guard let entry, entry.isEmpty else { return }
        lock?.forget()
        if case .mark = entry.network.identity.number, (try? journal?.indexes())?.isEmpty == true {
            NetworkMark.remove()
        }
    }

    /// Records the beginning of a change.
    ///
    /// - Parameters:
    ///   - next: the entry after the change.
    ///   - commits: whether `commit` is to put `next` in place, which then needs no disk space; otherwise `settle`
    ///     writes it.
    /// - Throws: `journal` if the change cannot be recorded. Nothing may be changed then.
    func begin(
        leadingTo next: JournalEntry?,
        selection: Selection?,
        isRemoval: Bool,
        commits: Bool
    ) throws(ConditioningError) {
        guard let journal, let next, var changing = entry, !isUnreadable else { return }
        precondition(isOfThisInterface(next), "the change of another interface")
        if isRemoval { changing.suspended = next.suspended } else { changing.originals = next.originals }
        changing.change = JournalEntry.Change(
            owner: journal.machine.process,
            command: command,
            selection: selection,
            isRemoval: isRemoval
        )
        try recorded(commits ? journal.begin(changing, leadingTo: next) : journal.write(changing))
    }

    /// Records that the change that `begin` announced is complete.
    func commit(_ next: JournalEntry?) throws(ConditioningError) {
        guard let journal, let next else { return }
        precondition(isOfThisInterface(next), "the change of another interface")
        try recorded(journal.commit(next))
        entry = next
    }

    private func isOfThisInterface(_ other: JournalEntry) -> Bool {
        entry.map { $0.index == other.index && $0.network == other.network } ?? true
    }

    /// Writes the previous entry back after a change was undone. If the write fails, the entry with the change stays,
    /// and the next command finishes the undoing.
    func restore(_ before: JournalEntry?) {
        guard let journal, let before else { return }
        precondition(isOfThisInterface(before), "the entry of another interface")
        try? journal.restore(before)
    }

    /// Changes the entry and writes it.
    ///
    /// - Throws: `journal` if the entry cannot be written; it is unchanged then.
    func amend(_ change: (inout JournalEntry) -> Void) throws(ConditioningError) {
        guard let journal, var next = entry else { return }
        change(&next)
        try recorded(journal.write(next))
        entry = next
    }

    /// Changes the entry and writes it. If the write fails, deletes the entry, since no entry is better than a wrong
    /// one.
    func settle(_ change: (inout JournalEntry) -> Void) {
        guard let journal, var next = entry else { return }
        change(&next)
        entry = next
        do {
            try journal.write(next)
        } catch {
            do { try journal.remove(next) } catch { outdated = error }
        }
    }

    /// Deletes the finished change, and the rules that are no longer in the kernel, from the entry. A failure does not
    /// matter: the next command tries again.
    func tidy(_ reading: JournalReading, present: [Selection]) {
        guard let journal, var tidied = entry, !isUnreadable else { return }
        tidied.change = nil
        tidied.rules.removeAll { !present.contains($0.selection) }
        if case .entry(let found) = reading, found == tidied { return }
        if case .otherVersion = reading { return }
        entry = tidied
        if reading == .absent, tidied.isEmpty { return }
        try? journal.write(tidied)
    }
}
