// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// Removes all rules and records them for `resume`.
    ///
    /// - Parameter interface: the interface; nil for all interfaces of this network.
    /// - Returns: the suspended rules; nil if there were none to suspend.
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

    /// The interfaces with rules. While another process replaces a rule, the kernel may list no rule, since its lists
    /// are not read at one moment; the journal then has the rule.
    ///
    /// An entry that cannot be read adds no interface, so that `off` can proceed with the others; `open(_:)` and
    /// `recover()` report it.
    private func suspendable(_ interface: String?) throws(ConditioningError) -> [String] {
        var names = try devices(named: interface).devices.filter { !$0.rules.isEmpty }.map(\.link.name)
        guard let network = try? machine.journalNetwork(marksIfNeeded: false),
            let journal = try? machine.existingJournal(),
            let links = try? recordedLinks(journal)
        else { return names }
        for link in links where !names.contains(link.name) && (interface == nil || link.name == interface) {
            if case .entry(let entry) = journal.read(link.index, in: network), !entry.rules.isEmpty {
                names.append(link.name)
            }
        }
        return names
    }

    /// Refuses to suspend a rule whose pump belongs to a running command: the pump could not be started again for that
    /// command.
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

    /// Resumes the suspended rules, except for rules whose time limit has passed.
    ///
    /// - Parameters:
    ///   - interface: the interface; nil for all interfaces of this network.
    ///   - readRecordings: reads the recordings that a profile names.
    ///   - report: is called for each rule that has been resumed.
    /// - Returns: false if nothing is suspended.
    /// - Throws: `journal` if the journal, which may hold suspended rules, cannot be read; another `ConditioningError`;
    ///   or the error of `readRecordings`.
    public func resume(
        _ interface: String? = nil,
        readRecordings: (Profile) throws -> Recordings,
        report: (InterfaceRule) -> Void
    ) throws -> Bool {
        // Without permission, another user's journal, and the rules in it, would seem not to exist.
        try executor.requirePermission()
        let remembered = try suspendedEntries(on: interface).map(\.name)
        if remembered.isEmpty { tell(recover()) }
        for name in remembered {
            // A session makes one change, so each rule needs its own.
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

    /// Resumes the first suspended rule: the oldest, since of equally specific rules, a later one precedes the others.
    ///
    /// - Returns: false if no rule is suspended.
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
            // Delete it from the record, or the next call would find the same rule again.
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
