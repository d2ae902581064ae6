// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// Waits for the end of one rule, and removes the rule: the work of a ``Guardian``, and of its ``StandbyGuardian``.
///
/// ## The algorithm
///
/// 1. Wait for the lifeline, which closes when the process that applies the rule ends. Until then there is nothing to
///    decide, and that process may have the interface's lock (with `run -i`, it lives as long as the run). Only the end
///    of the pump or of the standby, or a request to end, ends the wait earlier. If the pump has ended, shut the
///    lifeline down, since the applying process may wait for the pump's answer while it has the lock.
/// 2. Watch the journal's directory before the journal is read, so that no change is missed.
/// 3. Then repeat the following pass. A failed pass is repeated up to 100 times in a row: for a minute, or longer if
///    each pass waits for the lock:
///    1. Is the end due? It is after SIGTERM to this process or the pump; once the standby guardian has ended, without
///       which a kill of this process would leave packets to a pump that no process removes; once the process to which
///       the rule is tied has ended; or once no other process is left in the network.
///    2. Query the pump, if that is due; kill it after three queries without an answer. A pump that was stopped keeps
///       its devices, and loses the packets sent there.
///    3. If the pump is gone, so are its devices. Opening a session removes the filters that redirect to them. Done.
///    4. In the first pass, open a session and close it: this repairs what the process of step 1 left if it was killed.
///    5. Read the journal: is the rule still this guardian's, and until when (``GuardianState``)?
///       - Another process has the rule, or the rule is gone: end the pump and leave. Do that under the lock, after a
///         second look at the journal: the rule may have come back between the first look and the lock.
///       - The rule is not over: sleep until the deadline, the next query, a wake-up, or a change of the journal. One
///         command makes several changes; read the journal once they have settled. Never sleep longer than 5 s, since
///         poll(2) does not count the time in suspend.
///       - The rule is over: lock, look again (the rule may have been confirmed meanwhile), and remove the rule. The
///         pump ends when its devices are gone.
/// 4. If the interface is gone, so are its conditions. Done.
///
/// If the journal cannot be read, the rule may be another process's, so reading is repeated for ten seconds. After
/// that, the kernel's state and the last reading decide: removing a rule too early is better than leaving it for ever.
///
/// The guardian ends the standby only when the rule is gone: the standby removes the rule if the guardian is killed at
/// any step above. If both are killed, the pump sees the end of its channel and ends, its devices disappear, and the
/// filters let packets pass if the kernel supports that; the next command removes the filters. A rule that the kernel
/// carries has no standby: the next command finds its guardian dead, and removes the rule.
struct GuardianLoop {
    let machine: any Machine
    /// The interface's index, since its name may change.
    let index: Int32
    /// Readable once the process that applied the rule has ended.
    let lifeline: CInt
    /// Whether the rule ends with the process that applied it.
    let isTied: Bool
    /// Receives SIGTERM, the request to end the rule at once; nil in a standby guardian.
    let signals: SignalQueue?
    /// The pump that carries the rule; nil if the kernel does.
    let pump: InterfacePump?
    /// Removes the rule if this process is killed; nil for a rule that the kernel carries, and in the standby guardian
    /// itself.
    let standby: StandbyGuardian?
    var state: GuardianState
    /// Detects a pump that was stopped or frozen; nil for a rule that the kernel carries.
    var heartbeat: PumpHeartbeat?

    /// The number of failed steps in a row.
    var failures = 0
    /// The number of failed reads of the journal in a row.
    var journalFailures = 0
    /// The journal entry as last read.
    var lastEntry: Journal.DecodedEntry?

    /// The number of failed reads after which the guardian proceeds without the journal.
    private static let journalFailureLimit = 20
    /// Longer than any change by another process: lanes drain for ten seconds at most.
    private static let lockTimeout = Duration.seconds(60)
    /// The time without a change after which the journal is read, and the maximum number of such waits: a command
    /// writes the journal several times, and every guardian of the interface reads it.
    private static let settling = (quiet: Duration.milliseconds(150), times: 10)
    /// The longest wait: poll(2) does not count the time in suspend, and no event reports that the network is no longer
    /// in use.
    private static let longestWait = Duration.seconds(5)

    /// Waits for the rule's end and removes the rule.
    consuming func run() {
        let wakers = [signals?.descriptor, pump?.channel.descriptor, standby?.channel.descriptor].compactMap { $0 }
        // A command that the rule is tied to may run for hours.
        while !machine.waitUntilReadable([lifeline] + wakers, limit: untilQuestion) { endSilentPump() }
        var isDue = false
        // Whether a parent killed midway may have left something to repair; if the pump is lost, everything is removed
        // anyway.
        var mayNeedRepair = !hasLostPump
        // The parent has the lock, and may be waiting for the pump's first answer: closing the lifeline ends that wait.
        if hasLostPump { shutdown(lifeline, CInt(SHUT_RDWR)) }
        let changes = ((try? machine.existingJournal()) ?? nil).map { machine.watch($0.directory) }
        let lifelines = isTied ? [lifeline] : []
        persist { loop throws(ConditioningError) in
            // Checked in every pass, since a failed step is repeated for a while.
            isDue = isDue || loop.isAsked || loop.isTied && loop.machine.isReadable(loop.lifeline)
            loop.endSilentPump()
            if loop.hasLostPump {
                // The pump's devices are gone once the pump has ended; opening a session then removes the filters.
                loop.pump?.process.reap()
                try loop.session().close()
                return true
            }
            if mayNeedRepair {
                try loop.repair()
                mayNeedRepair = false
            }
            switch isDue ? .end : try loop.look() {
            case .leave: if try loop.dismissPump() { return true }
            case .wait(let deadline):
                let limits = [deadline.map { $0 - loop.machine.now }, loop.untilQuestion].compactMap { $0 }
                let limit = limits.reduce(Self.longestWait, min)
                loop.machine.waitUntilReadable(wakers + lifelines + [changes].compactMap(\.self), limit: limit)
                if let changes { loop.settle(changes, or: wakers + lifelines, until: deadline) }
            case .end:
                guard try loop.end(isDue: isDue) else { return false }
                if isDue { loop.pump?.end() }
                return true
            }
            if let changes { loop.machine.drain(changes) }
            isDue = loop.machine.isNetworkUnused
            return false
        }
    }

    /// Waits until the journal has stopped changing, one of `wakers` is readable, or the deadline is near.
    private func settle(_ changes: CInt, or wakers: [CInt], until deadline: Duration?) {
        for _ in 0..<Self.settling.times where machine.isReadable(changes) {
            if let deadline, deadline - machine.now < Self.settling.quiet { return }
            machine.drain(changes)
            machine.waitUntilReadable(wakers + [changes], limit: Self.settling.quiet)
        }
    }

    /// Removes the rule before its deadline.
    consuming func endNow() {
        persist { loop throws(ConditioningError) in
            try loop.end(isDue: true)
        }
    }

    /// Repeats `body` until it returns true, the interface is gone, or it has failed 100 times in a row.
    private consuming func persist(_ body: (inout GuardianLoop) throws(ConditioningError) -> Bool) {
        while failures < 100 {
            do {
                if try body(&self) { return }
                failures = 0
            } catch  where error.code == .notFound {
                // The interface was deleted with its conditions.
                return
            } catch {
                failures += 1
                if error.code == .journal { journalFailures += 1 }
                self.machine.sleep(.milliseconds(500))
            }
        }
    }

    /// Ends the pump, if any, of a rule that was never applied or has been removed.
    ///
    /// - Returns: false if the rule still belongs to the guardian.
    private mutating func dismissPump() throws(ConditioningError) -> Bool {
        guard let pump else { return true }
        // The process that removed the rule keeps the lock while it waits for the pump to drain.
        let session = try session()
        guard try !state.updateOwnership(session.reading, session.state) else { return false }
        pump.process.kill()
        pump.process.reap()
        session.close()
        try self.session().close()
        return true
    }

    /// Repairs the interface, unless the journal cannot be read: a later pass may then read how to repair it.
    private func repair() throws(ConditioningError) {
        do {
            try session().close()
        } catch  where error.code != .journal {}
    }

    /// Whether the rule must end: this process or the pump was asked to end, or the standby guardian has ended.
    private var isAsked: Bool { signals?.next() != nil || pump?.isAskedToEnd() == true || standby?.hasEnded == true }

    private var hasLostPump: Bool { pump?.channel.isAbandoned ?? false }

    /// The time until the next heartbeat query to the pump; nil without a pump.
    private var untilQuestion: Duration? { heartbeat?.pause(at: machine.now) }

    /// Kills a pump that no longer answers, and waits for its end; the loop then treats it like a pump that ended by
    /// itself.
    private mutating func endSilentPump() {
        let now = machine.now
        guard let pump, heartbeat?.hasStopped(at: now) == true else { return }
        pump.process.kill()
        Wait.untilReadable([pump.channel.descriptor], limit: .seconds(5))
    }

    private func name(_ connection: RouteConnection) throws(ConditioningError) -> String {
        guard let link = try kernelAnswer(connection.links()).first(where: { $0.index == index }) else {
            throw ConditioningError(NetlinkError(operation: "find interface \(index)", code: ENODEV))
        }
        return link.name
    }

    private func session() throws(ConditioningError) -> InterfaceSession {
        let connection = try machine.connect()
        return try InterfaceSession.repairing(
            name(connection),
            connection,
            on: machine,
            journal: journal(),
            command: "guardian",
            for: canWait ? .ending : .removal,
            lockTimeout: Self.lockTimeout
        )
    }

    /// The journal, which records whether the rule still belongs to the guardian; nil if there is none or, after too
    /// many failures, if it cannot be read.
    private func journal() throws(ConditioningError) -> Journal? {
        do {
            return try journalAnswer(machine.existingJournal())
        } catch  where !canWait {
            return nil
        }
    }

    private var canWait: Bool { journalFailures < Self.journalFailureLimit }

    private mutating func look() throws(ConditioningError) -> GuardianState.Step {
        let connection = try machine.connect()
        let name = try name(connection)
        var reading = JournalReading.absent
        do throws(ConditioningError) {
            guard let network = try journalAnswer(machine.journalNetwork(marksIfNeeded: false)) else { return .leave }
            reading = try journal()?.read(index, in: network, &lastEntry) ?? .absent
            if case .unreadable(let error) = reading { throw ConditioningError(reading: error) }
            journalFailures = 0
        } catch  where !canWait {
            // The rule still ends at the deadline that was read last.
        }
        return try state.next(reading, try Inspector(connection).state(of: name), now: machine.now)
    }

    /// Removes the rule.
    ///
    /// - Returns: false if the rule is not over: another process, which had the lock, has confirmed or replaced it.
    private mutating func end(isDue: Bool) throws(ConditioningError) -> Bool {
        let session = try session()
        if !isDue, try state.next(session.reading, session.state, now: machine.now) != .end {
            session.close()
            return false
        }
        guard try state.updateOwnership(session.reading, session.state) else {
            session.close()
            return true
        }
        let executor = session.executor
        _ = try Removal.carryOut([session.beginRemoval(of: state.selection)], by: executor)
        return true
    }
}
