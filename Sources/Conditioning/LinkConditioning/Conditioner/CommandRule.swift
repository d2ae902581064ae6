// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
package import PacketPump
internal import TrafficControl

/// A rule that lasts as long as a command runs. It is tied to the process that applies it; if that process is killed,
/// another process forked from the same parent can remove the rule.
public struct CommandRule {
    /// The interface.
    public let interface: String
    /// The file for the pump's packets; nil to write none. The caller closes its descriptors once the rule is applied.
    package var capture: PumpCaptureStart?
    private var request: RuleRequest
    private let machine: any Machine
    private var guardian: Guardian?
    private let progress: SharedCell<Progress>

    /// The progress of the rule, in memory shared by both processes.
    private struct Progress: BitwiseCopyable {
        /// The interface's index; 0 before the first change.
        var index: Int32 = 0
        /// The process with which the rule ends; 0 until the rule is in effect. Once it is, the rule belongs to this
        /// run, even if another process switches its profile. Before that, a rule for the same traffic may belong to
        /// another process, and this run fails as busy.
        var ender: Int32 = 0
        /// Whether a journal records the owners of the interface's rules.
        var isJournalled = false
        var isOn: Bool { ender != 0 }
    }

    /// Describes the rule. Nothing is changed yet.
    public init(_ request: RuleRequest, on interface: String) throws(ConditioningError) {
        try self.init(request, on: interface, of: .real)
    }

    init(_ request: RuleRequest, on interface: String, of machine: any Machine) throws(ConditioningError) {
        self.machine = machine
        self.interface = interface
        self.request = request
        do {
            progress = try SharedCell(Progress())
        } catch {
            throw ConditioningError(.refused, error)
        }
    }

    /// The guardian's process ID; nil if the kernel carries the conditions. The guardian ends with the pump.
    public var guardianPID: Int32? { guardian?.identity.processID }

    /// Applies the rule.
    ///
    /// - Returns: notes for the user.
    /// - Throws: `busy` if the interface has a rule for the same traffic; or another failure.
    public mutating func apply() throws(ConditioningError) -> [ConditioningNote] {
        request.origin = .here
        request.origin.processID = machine.process.processID
        request.origin.process = machine.process
        let connection = try machine.connect()
        try machine.executor(connection).requirePermission()
        let session = try InterfaceSession.repairing(
            interface,
            connection,
            on: machine,
            journal: try machine.openJournal(),
            command: "run"
        )
        if let rule = session.state.rules.first(where: { $0.selection == request.selection }) {
            let scope = rule.selection.isEverything ? "" : " for \(rule.selection.words)"
            throw ConditioningError(
                .busy,
                "\(interface) already has \"\(rule.alias?.profile ?? "")\"\(scope), "
                    + "applied by process \(rule.alias?.processID ?? 0)",
                remedy: Remedy(.reset, interface)
            )
        }
        // A direction without conditions gets a lane too, so that the capture contains its packets.
        if capture != nil { request.profile = request.profile.withBothDirections }
        progress.value.index = session.state.link.index
        progress.value.isJournalled = session.entry != nil
        var notes = session.notes.map { ConditioningNote($0) }
        let application = try RuleApplication(
            request,
            .supervisor(capture: capture),
            on: session,
            connection,
            isInitialNetwork: true,
            needsLog: capture != nil
        ) { notes.append($0) }
        notes += application.plans.flatMap(\.plan.notes).map { ConditioningNote($0) }
        let teardown = try application.carryOut(on: session, &guardian)
        progress.value.ender = (guardian?.identity ?? machine.process).processID
        return try notes + teardown.finish().map { ConditioningNote($0) }
    }

    /// After the rule's removal: the reason why the capture file lacks packets; nil if it is complete. Waits until the
    /// pump has written the rest.
    package func captureProblem() -> String? {
        capture != nil && progress.value.isOn ? guardian?.captureProblem() : nil
    }

    /// Removes the rule, from the process that applied it.
    ///
    /// - Returns: messages about packets that lanes still held when they were deleted.
    public func remove() throws(ConditioningError) -> [String] {
        try remove(appliedBy: request.origin.processID)
    }

    /// Removes this run's rule, and its lanes without traffic that were left by `owner` or by an ended process that
    /// switched the rule.
    ///
    /// - Parameter owner: the process that applied the rule, which may have been killed.
    public func remove(appliedBy owner: Int32) throws(ConditioningError) -> [String] {
        let connection = try machine.connect()
        let progress = progress.value
        guard progress.index != 0 else { return [] }
        defer { removeSockets(of: progress.index) }
        guard try isPresent(connection, progress.index) else { return try removeRest(connection, progress.index) }
        let session = try session(connection)
        let isOurs = isOurs(session, progress, owner)
        let makers = abandonedMakers(in: session.state).union([owner])
        let executor = session.executor
        // An unreadable journal may mean that the rule stays, so the user gets its notes.
        let notes = session.reading.isUnreadable ? session.notes : []
        let losses =
            if isOurs {
                try Removal.carryOut([session.beginRemoval(of: request.selection, leftBy: makers)], by: executor)
            } else {
                try session.removeLanes(leftBy: makers)
            }
        return notes + losses.map { "\($0), dropped" }
    }

    /// Deletes the sockets of pumps that are gone: their guardian may have been killed after it removed the rule.
    private func removeSockets(of index: Int32) {
        guard let journal = (try? machine.existingJournal()) ?? nil,
            let network = (try? machine.journalNetwork(marksIfNeeded: false)) ?? nil
        else { return }
        journal.pumpSockets(of: index, in: network).removeUnused()
    }

    /// Whether the rule for this traffic is this run's, rather than one that was applied after a reset.
    private func isOurs(_ session: borrowing InterfaceSession, _ progress: Progress, _ owner: Int32) -> Bool {
        // `switch` and `off` do not change a rule's ending.
        let recorded = ((session.entry?.rules ?? []) + (session.entry?.suspended ?? []))
            .first { $0.selection == request.selection }
        guard progress.isOn, let recorded else {
            // Another process may have removed this run's rule and applied its own, whose record cannot be read.
            return progress.isOn && !progress.isJournalled
                || session.state.rules.first { $0.selection == request.selection }?.alias?.processID == owner
        }
        return recorded.ending?.isTied == true && recorded.ending?.guardian.processID == progress.ender
    }

    /// Opens the interface to remove the rule. An unusable journal delays the removal, but does not prevent it.
    private func session(_ connection: RouteConnection) throws(ConditioningError) -> InterfaceSession {
        let limit = machine.now + Self.journalTimeout
        var purpose = InterfaceSession.Purpose.ending
        while true {
            do {
                return try InterfaceSession.repairing(
                    interface,
                    connection,
                    on: machine,
                    journal: purpose == .ending ? try machine.openJournal() : try? machine.openJournal(),
                    command: "run",
                    for: purpose,
                    lockTimeout: Self.lockTimeout
                )
            } catch  where error.code == .journal && purpose == .ending {
                machine.sleep(.milliseconds(100))
                if machine.now >= limit { purpose = .removal }
            } catch  where error.code == .busy {
                return try InterfaceSession.repairing(interface, connection, on: machine, journal: nil)
            }
        }
    }

    /// The time for further attempts if the journal, which records whether the rule is still this run's, cannot be
    /// read.
    private static let journalTimeout = Duration.seconds(2)
    /// Longer than any change by another process, since lanes drain for ten seconds at most.
    private static let lockTimeout = Duration.seconds(15)

    /// Whether the interface is the one that was conditioned, rather than another of the same name.
    private func isPresent(_ connection: RouteConnection, _ index: Int32) throws(ConditioningError) -> Bool {
        do {
            return try Inspector(connection).state(of: interface).link.index == index
        } catch  where error.code == .notFound {
            return false
        }
    }

    /// Deletes the lanes of an interface that was deleted with its filters.
    private func removeRest(_ connection: RouteConnection, _ index: Int32) throws(ConditioningError) -> [String] {
        let lanes = try kernelAnswer(Inspector(connection).conditionedDevices()).abandoned
        let abandoned = lanes.filter { $0.name.deviceIndex == index }
        return try Removal.carryOut([], abandoned: abandoned, by: machine.executor(connection))
    }

    /// The IDs of ended processes that left lanes for this rule's traffic, to which no filter redirects.
    private func abandonedMakers(in state: DeviceState) -> Set<Int32> {
        guard progress.value.isOn else { return [] }
        let aliases = state.orphans.map(\.alias).filter { $0.selection == request.selection }
        return Set(aliases.filter { !machine.makerIsAlive($0) }.map(\.processID))
    }
}
