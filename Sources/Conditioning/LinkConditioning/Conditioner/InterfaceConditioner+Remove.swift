// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// The result of `removeWherePossible`.
    public struct RemovalReport: Sendable {
        /// An interface that was checked.
        public struct Interface: Sendable {
            /// The interface's name.
            public let name: String
            /// The names of the profiles that the interface had.
            public let profiles: [String]
            /// Whether the interface had objects of linkcond.
            public let wasConditioned: Bool
        }

        /// The interfaces that were checked.
        public var interfaces: [Interface] = []
        /// The deleted lanes of interfaces that no longer exist.
        public var abandonedLanes: [String] = []
        /// Messages about packets that lanes still held when they were deleted.
        public var losses: [String] = []
        /// The reasons why interfaces keep conditions that a running process holds.
        public var held: [ConditioningError] = []
        /// The reasons why other interfaces keep their conditions.
        public var failures: [ConditioningError] = []
    }

    /// Removes all rules and restores the interfaces, except for rules that a running sandbox holds. Safe to repeat.
    ///
    /// - Parameters:
    ///   - interface: the interface; nil for all interfaces of this network that have rules or a journal entry.
    ///   - isPatient: whether to wait, up to 10 s, for the lanes to drain.
    /// - Throws: the reason why an interface keeps its conditions, after the others have been restored.
    @discardableResult
    public func remove(
        from interface: String? = nil,
        isPatient: Bool = true
    ) throws(ConditioningError) -> RemovalReport {
        let report = try removeWherePossible(from: interface, isPatient: isPatient)
        if let failure = ConditioningError(report.failures + report.held) { throw failure }
        return report
    }

    /// Like `remove`, but reports the interfaces that keep their conditions instead of throwing.
    ///
    /// - Throws: the failure that prevents any removal.
    public func removeWherePossible(
        from interface: String? = nil,
        isPatient: Bool = true
    ) throws(ConditioningError) -> RemovalReport {
        var report = RemovalReport()
        let (devices, abandoned) = try removableDevices(interface, &report.failures)
        if !abandoned.isEmpty || devices.contains(where: \.isConditioned) { try executor.requirePermission() }
        var removals: [(device: DeviceState, removal: Removal)] = []
        // Every process locks in the order of the devices, which prevents a deadlock.
        for device in devices {
            do {
                let session = try openForRemoval(device.link.name)
                let notes = session.notes
                let rules = session.state.rules
                let held = rules.filter { $0.isHeld(machine.isHeld) }
                report.held += held.map { Self.error(device.link.name, $0) }
                // If only some of the rules are held, the others are removed.
                guard held.isEmpty || held.count < rules.count else {
                    session.close()
                    continue
                }
                let removal = session.beginRemoval(of: nil)
                tell(notes + removal.notes)
                removals.append((device, removal))
            } catch  where error.code == .notFound && interface == nil {
                // The device was deleted meanwhile, with its conditions.
            } catch {
                report.failures.append(error)
            }
        }
        do {
            report.losses = try Removal.carryOut(
                removals.map(\.removal),
                abandoned: abandoned,
                isPatient: isPatient,
                by: executor
            )
        } catch {
            report.failures.append(error)
            return report
        }
        report.failures += removals.compactMap(\.removal.record.outdated).map { ConditioningError(outdated: $0) }
        report.interfaces = removals.map { device, removal in
            let profiles = device.rules.filter { !$0.isHeld(machine.isHeld) }.compactMap { $0.alias?.profile }
            return RemovalReport.Interface(
                name: device.link.name,
                profiles: profiles,
                wasConditioned: !removal.plan.isEmpty
            )
        }
        report.abandonedLanes = abandoned.map(\.name.description)
        return report
    }

    /// Removes one rule; the others stay.
    ///
    /// - Parameters:
    ///   - number: the rule's number.
    ///   - interface: the rule's interface; nil if only one has a rule of that number.
    ///   - isPatient: whether to wait, up to 10 s, for the lanes to drain.
    /// - Returns: the rule, and messages about packets that lanes still held when they were deleted.
    /// - Throws: `ambiguous` or `notFound`, with the list of the rules, unless exactly one matches; or another failure.
    public func removeRule(
        _ number: Int,
        from interface: String?,
        isPatient: Bool = true
    ) throws(ConditioningError) -> (rule: InterfaceRule, losses: [String]) {
        let name = try rule(on: interface, for: nil, number: number).device.link.name
        try executor.requirePermission()
        let session = try openForRemoval(name)
        // Another process may have changed the interface meanwhile.
        let rule = try Self.onlyRule(for: nil, number: number, among: [session.state], interface).rule
        if rule.isHeld(machine.isHeld) { throw Self.error(name, rule) }
        let notes = session.notes
        let removal = session.beginRemoval(of: rule.selection)
        tell(notes + removal.notes)
        let losses = try Removal.carryOut([removal], isPatient: isPatient, by: executor)
        return (InterfaceRule(interface: name, profile: rule.alias?.profile ?? ""), losses)
    }

    private static func error(_ interface: String, _ rule: RuleState) -> ConditioningError {
        ConditioningError(
            .busy,
            "\(interface) keeps \"\(rule.alias?.profile ?? "")\" until the sandbox of process "
                + "\(rule.alias?.processID ?? 0) ends",
            remedy: Remedy(.switchProfile)
        )
    }

    /// Deletes the journal's files about networks that have ended, and those that killed processes left for interfaces
    /// without an entry.
    public static func tidyJournal() {
        let journal = (try? Journal.existing()) ?? nil
        journal?.removeEndedNetworks()
        journal?.removeLeftoverFiles(lockTimeout: .seconds(1))
    }

    /// - Parameter failures: receives the reason why the journal, which may have entries of other interfaces, cannot be
    ///   read.
    private func removableDevices(
        _ interface: String?,
        _ failures: inout [ConditioningError]
    ) throws(ConditioningError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        var found = try devices(named: interface)
        guard interface == nil else { return found }
        var recorded: [Link] = []
        do {
            if let journal = try journalAnswer(machine.existingJournal()) { recorded = try recordedLinks(journal) }
        } catch  where error.code == .journal {
            failures.append(error)
        }
        for link in recorded where !found.devices.contains(where: { $0.link.name == link.name }) {
            found.devices.append(try Inspector(connection).state(of: link.name))
        }
        return found
    }
}
