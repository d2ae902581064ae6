// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Suspends and resumes rules.
extension InterfaceConditioner {
    /// A rule that was suspended or resumed.
    public struct SuspendedRule: Sendable {
        /// The interface.
        public let interface: String
        /// The name of the profile.
        public let profile: String
    }

    /// Removes all rules and records them for `resume`.
    ///
    /// - Parameter interface: only this one; nil for all of this network.
    /// - Returns: the rules; nil if nothing is conditioned.
    public func suspend(_ interface: String? = nil) throws(ConditioningError) -> [SuspendedRule]? {
        let devices = try devices(named: interface).devices.filter { !$0.rules.isEmpty }
        guard !devices.isEmpty else { return nil }
        var suspended: [SuspendedRule] = []
        for device in devices {
            let name = device.link.name
            let session = try open(name)
            try Self.refuseTiedPump(session.entry, name)
            let rules = (session.entry?.suspended ?? []) + (session.entry?.rules ?? [])
            let removal = try session.beginSuspension()
            let losses = try Removal.carryOut([removal], by: executor)
            losses.forEach { note("\($0), dropped") }
            var seen: Set<Selection> = []
            suspended += rules.reversed().filter { seen.insert($0.selection).inserted }.reversed()
                .map { SuspendedRule(interface: name, profile: $0.profile.name) }
        }
        return suspended
    }

    /// The pump of a running command must not be ended: it cannot be started again for that command.
    private static func refuseTiedPump(_ entry: JournalEntry?, _ name: String) throws(ConditioningError) {
        guard let rule = entry?.rules.first(where: { $0.engine == .userspace && $0.ending?.isTied == true }) else {
            return
        }
        throw ConditioningError(
            .busy,
            "\(name) has \"\(rule.profile.name)\" for a running command, carried by that command's processes",
            remedy: "linkcond switch PROFILE -i \(name)"
        )
    }

    /// Resumes the suspended rules, except for those whose time limit has passed.
    ///
    /// - Parameters:
    ///   - interface: only this one; nil for all of this network.
    ///   - readRecordings: reads the recordings that a profile names.
    ///   - report: is called for each rule that was resumed.
    /// - Returns: false if nothing is suspended.
    public func resume(
        _ interface: String? = nil,
        readRecordings: (Profile) throws -> Recordings,
        report: (SuspendedRule) -> Void
    ) throws -> Bool {
        let remembered = (Journal.existing()?.suspended() ?? []).map(\.name)
            .filter { interface == nil || interface == $0 }
        for name in remembered {
            // One session for each rule: a session makes one change.
            while let rule = try resumeFirst(name, readRecordings) {
                if let rule { report(rule) }
            }
        }
        return !remembered.isEmpty
    }

    /// Resumes the earliest rule first, since later ones precede it.
    ///
    /// - Returns: the rule, with nil inside if it was dropped; nil if there is none.
    private func resumeFirst(
        _ name: String,
        _ readRecordings: (Profile) throws -> Recordings
    ) throws -> SuspendedRule?? {
        let session = try open(name)
        guard let rule = session.entry?.suspended.first else {
            session.close()
            return nil
        }
        if let reason = rule.isOver {
            session.forgetSuspended(rule.selection)
            note("not resuming \"\(rule.profile.name)\" on \(name): \(reason)")
            return .some(nil)
        }
        var request = rule.request
        request.engine = rule.engine
        if rule.ending?.deadline == nil {
            try sshGuard.check(request, on: name)
        }
        if rule.engine == .userspace { request.recordings = try readRecordings(rule.profile) }
        let times = RuleTimes(until: rule.ending?.until, confirmBy: rule.ending?.confirmBy)
        try apply(request, times, restoring: rule, on: session)
        return SuspendedRule(interface: name, profile: rule.profile.name)
    }

    /// Confirms the rules that wait for confirmation and whose time has not passed.
    ///
    /// - Returns: the interfaces and the names of the profiles.
    public func confirm(_ interface: String? = nil) throws(ConditioningError) -> [SuspendedRule] {
        var kept: [SuspendedRule] = []
        for device in try devices(named: interface).devices {
            let name = device.link.name
            let now = BootClock.now
            try open(name).amend { entry in
                for index in entry.rules.indices {
                    guard let limit = entry.rules[index].ending?.confirmBy, now < limit else { continue }
                    entry.rules[index].ending?.confirmBy = nil
                    // A pump still needs its guardian.
                    let isNeeded = entry.rules[index].ending?.until != nil || entry.rules[index].engine == .userspace
                    if !isNeeded { entry.rules[index].ending = nil }
                    kept.append(SuspendedRule(interface: name, profile: entry.rules[index].profile.name))
                }
            }
        }
        return kept
    }
}
