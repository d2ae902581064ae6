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
/// 1. Wait for the lifeline: until the process that applies the rule ends, there is nothing to decide; it may have the
///    interface's lock (with `run -i` it lives as long as the run). Only the end of the pump or of the standby, or a
///    request to end, comes earlier. If the pump has ended, shut the lifeline down, since that process may wait for the pump's answer while it has the lock.
/// 2. Watch the directory of the journal before it is read, so that no change is missed.
/// 3. Then in turns, each of which may fail, and is tried again, up to 100 times in a row: a minute, or longer if each
///    waits for the lock:
///    1. Is the end due? SIGTERM, to this process or the pump; the second guardian is gone, without which a kill of
///       this process would leave packets to a pump that nobody removes; the process is gone that the rule is tied to;
///       or no other process is left in the network.
///    2. Ask the pump, if it is time; kill it after three questions without an answer. A pump that was stopped keeps
///       its devices, and packets vanish there.
///    3. If the pump is gone, so are its devices. Opening a session removes the filters that led to them. Done.
///    4. In the first turn, open a session and close it: this repairs what the process of step 1 left if it was killed.
///    5. Read the journal: is the rule still this guardian's, and until when (``GuardianState``)?
///       - Another process has it, or it is gone: end the pump, under the lock and after a second look, and leave. A
///         rule may have come back between the look and the lock.
///       - There is time: sleep until the deadline, a question, a wake-up, or a change of the journal, of which one
///         command makes several: read it once they have settled. Never longer than 5 s, since poll(2) does not count a
///         suspended machine's time.
///       - It is over: lock, look again (it may have been confirmed meanwhile), remove the rule. The pump ends when its
///         devices are gone.
/// 4. The interface is gone: so are its conditions. Done.
///
/// A journal that cannot be read may say that the rule is another's, so it is tried again for ten seconds. After that,
/// the kernel's state and what was read last decide: to remove a rule too early is better than to leave it for ever.
///
/// The guardian ends the second one only when the rule is gone: that one removes what is left if this process is killed
/// at any step above. If both are killed, the pump sees the end of its channel and ends, its devices go, and filters let
/// packets pass where the kernel can do that; the next command removes them. A rule that the kernel carries has no
/// second guardian: the next command finds the first one dead, and removes the rule.
struct GuardianLoop {
    let machine: any Machine
    /// The interface's index: its name may change.
    let index: Int32
    /// Readable once the process that applied the rule has ended.
    let lifeline: CInt
    /// Whether the rule ends with the process that applied it.
    let isTied: Bool
    /// Receives the request to end the rule at once.
    let signals: SignalQueue?
    /// The pump that carries the rule; nil if the kernel does.
    let pump: InterfacePump?
    /// Removes the rule if this process is killed; nil for a rule that the kernel carries, and in that process itself.
    let standby: StandbyGuardian?
    var state: GuardianState
    /// Tells a pump that was stopped or frozen from one that works.
    var heartbeat: PumpHeartbeat?

    /// The number of failed steps in a row.
    var failures = 0
    /// The number of failed reads of the journal in a row.
    var journalFailures = 0
    /// The journal's entry as it was read last.
    var lastEntry: Journal.DecodedEntry?

    /// The number of failed reads after which the guardian does without the journal.
    private static let journalFailureLimit = 20
    /// Longer than another process's change: lanes drain for ten seconds at most.
    private static let lockTimeout = Duration.seconds(60)
    /// The time without a change after which the journal is read, and how often to wait for it: a command writes the journal
    /// several times, and every guardian of the interface reads it.
    private static let settling = (quiet: Duration.milliseconds(150), times: 10)
    /// poll(2) does not count the time in suspend, and no event reports that the network is no longer in use.
    private static let longestWait = Duration.seconds(5)

    /// Waits for the rule's end and removes the rule.
    consuming func run() {
        let wakers = [signals?.descriptor, pump?.channel.descriptor, standby?.channel.descriptor].compactMap { $0 }
        // A command that the rule is tied to may run for hours.
        while !machine.waitUntilReadable([lifeline] + wakers, limit: untilQuestion) { endSilentPump() }
        var isDue = false
        // Leftovers of a parent that was killed midway; with the pump, all is removed.
        var mayNeedRepair = !hasLostPump
        // The parent has the lock, and may be waiting for the pump's first answer.
        if hasLostPump { shutdown(lifeline, CInt(SHUT_RDWR)) }
        let changes = ((try? machine.existingJournal()) ?? nil).map { machine.watch($0.directory) }
        let lifelines = isTied ? [lifeline] : []
        persist { loop throws(ConditioningError) in
            // Each time: what fails is tried again for a while.
            isDue = isDue || loop.isAsked || loop.isTied && loop.machine.isReadable(loop.lifeline)
            loop.endSilentPump()
            if loop.hasLostPump {
                // Its devices are gone once it has ended.
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
        guard try !state.isOwn(session.reading, session.state) else { return false }
        pump.process.kill()
        pump.process.reap()
        session.close()
        try self.session().close()
        return true
    }

    /// Repairs the interface, as far as that is possible: a journal that cannot be read may say how, later.
    private func repair() throws(ConditioningError) {
        do {
            try session().close()
        } catch  where error.code != .journal {}
    }

    /// Whether the rule must end: this process or the pump was told so, or there is no second guardian any more.
    private var isAsked: Bool { signals?.next() != nil || pump?.isAskedToEnd() == true || standby?.hasEnded == true }

    private var hasLostPump: Bool { pump?.channel.isAbandoned ?? false }

    /// The time to wait until it is time to ask the pump; nil if there is none.
    private var untilQuestion: Duration? { heartbeat?.pause(at: machine.now) }

    /// Kills a pump that carries no packets any more; it is then replaced by nothing, like one that ended by itself.
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

    /// The journal, which says whether the rule still belongs to the guardian. To do without it is the last resort.
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
            guard let place = try journalAnswer(machine.place(marksNetwork: false)) else { return .leave }
            reading = try journal()?.read(index, in: place, &lastEntry) ?? .absent
            if case .unreadable(let error) = reading { throw ConditioningError(reading: error) }
            journalFailures = 0
        } catch  where !canWait {
            // The rule's end, as it was read last, is due all the same.
        }
        return try state.next(reading, try Inspector(connection).state(of: name), now: machine.now)
    }

    /// Removes the rule.
    ///
    /// - Returns: false if it is not over, since another process confirmed or replaced it while that had the lock.
    private mutating func end(isDue: Bool) throws(ConditioningError) -> Bool {
        let session = try session()
        if !isDue, try state.next(session.reading, session.state, now: machine.now) != .end {
            session.close()
            return false
        }
        guard try state.isOwn(session.reading, session.state) else {
            session.close()
            return true
        }
        let executor = session.executor
        _ = try Removal.carryOut([session.beginRemoval(of: state.selection)], by: executor)
        return true
    }
}
