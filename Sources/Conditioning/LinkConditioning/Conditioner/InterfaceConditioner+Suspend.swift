// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// Removes all rules and records them for `resume`.
    ///
    /// - Parameter interface: only this one; nil for all of this network.
    /// - Returns: the rules; nil if nothing is conditioned.
    public func suspend(_ interface: String? = nil) throws(ConditioningError) -> [InterfaceRule]? {
        var suspended: [InterfaceRule] = []
        for name in try suspendable(interface) {
            let session = try open(name)
            guard !session.state.rules.isEmpty else {
                session.close()
                continue
            }
            try Self.refuseTiedPump(session.entry, name)
            let rules = (session.entry?.suspended ?? []) + (session.entry?.rules ?? [])
            let removal = try session.beginSuspension()
            let losses = try Removal.carryOut([removal], by: executor)
            losses.forEach { note("\($0), dropped") }
            var seen: Set<Selection> = []
            suspended += rules.reversed().filter { seen.insert($0.selection).inserted }.reversed()
                .map { InterfaceRule(interface: name, profile: $0.profile.name) }
        }
        guard suspended.isEmpty else { return suspended }
        tell(recover())
        return nil
    }

    /// The interfaces with rules. While another process replaces a rule, the kernel's lists may show none, since they are not
    /// of one moment; the journal has it.
    ///
    /// An entry that cannot be read adds no interface: it must not keep `off` from the others. `open(_:)` and `recover()` tell it.
    private func suspendable(_ interface: String?) throws(ConditioningError) -> [String] {
        var names = try devices(named: interface).devices.filter { !$0.rules.isEmpty }.map(\.link.name)
        guard let place = try? machine.place(marksNetwork: false), let journal = try? machine.existingJournal(),
            let links = try? recordedLinks(journal)
        else { return names }
        for link in links where !names.contains(link.name) && (interface == nil || link.name == interface) {
            if case .entry(let entry) = journal.read(link.index, in: place), !entry.rules.isEmpty {
                names.append(link.name)
            }
        }
        return names
    }

    /// The pump of a running command must not be ended: it cannot be started again for that command.
    private static func refuseTiedPump(_ entry: JournalEntry?, _ name: String) throws(ConditioningError) {
        guard let rule = entry?.rules.first(where: { $0.engine == .userspace && $0.ending?.isTied == true }) else {
            return
        }
        throw ConditioningError(
            .busy,
            "\(name) has \"\(rule.profile.name)\" for a running command, carried by that command's processes",
            remedy: Remedy(.switchProfile, name)
        )
    }

    /// Resumes the suspended rules, except for those whose time limit has passed.
    ///
    /// - Parameters:
    ///   - interface: only this one; nil for all of this network.
    ///   - readRecordings: reads the recordings that a profile names.
    ///   - report: is called for each rule that was resumed.
    /// - Returns: false if nothing is suspended.
    /// - Throws: `journal` if the journal, which may hold suspended rules, cannot be read; another `ConditioningError`, or
    ///   what `readRecordings` throws.
    public func resume(
        _ interface: String? = nil,
        readRecordings: (Profile) throws -> Recordings,
        report: (InterfaceRule) -> Void
    ) throws -> Bool {
        // The rules of another user's journal would seem not to exist.
        try executor.requirePermission()
        let remembered = try suspendedEntries(on: interface).map(\.name)
        if remembered.isEmpty { tell(recover()) }
        for name in remembered {
            // A session makes one change, so that each rule takes one.
            while try resumeFirst(name, readRecordings, report) {}
        }
        return !remembered.isEmpty
    }

    /// The entries with suspended rules, of one interface or of all.
    func suspendedEntries(on interface: String?) throws(ConditioningError) -> [JournalEntry] {
        guard let journal = try journalAnswer(machine.existingJournal()) else { return [] }
        let links = try recordedLinks(journal).filter { interface == nil || $0.name == interface }
        return try journal.suspended(links.map(\.index))
    }

    /// Resumes the earliest rule first, since later ones precede it if they are equally specific.
    ///
    /// - Returns: false if there is none.
    private func resumeFirst(
        _ name: String,
        _ readRecordings: (Profile) throws -> Recordings,
        _ report: (InterfaceRule) -> Void
    ) throws -> Bool {
        let session = try open(name)
        guard let rule = session.entry?.suspended.first else {
            session.close()
            return false
        }
        if let reason = rule.isOver(on: machine) {
            // A rule that stayed would be found again at once.
            try session.forgetSuspended(rule.selection)
            note("not resuming \"\(rule.profile.name)\" on \(name): \(reason)")
            return true
        }
        var request = rule.request
        request.engine = rule.engine
        if rule.ending?.deadline == nil {
            try lockoutGuard.check(request, on: name)
        }
        if rule.engine == .userspace { request.recordings = try readRecordings(rule.profile) }
        let times = RuleTimes(until: rule.ending?.until, confirmBy: rule.ending?.confirmBy)
        try apply(request, times, restoring: rule, on: session)
        report(InterfaceRule(interface: name, profile: rule.profile.name))
        return true
    }
}
