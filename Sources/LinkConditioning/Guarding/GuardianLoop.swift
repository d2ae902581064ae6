// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// What a guardian does from its start to its end.
struct GuardianLoop {
    /// The interface's index: its name may change.
    let index: Int32
    /// Readable once the maker of the rule has ended.
    let lifeline: CInt
    /// Whether the rule ends with its maker.
    let isTied: Bool
    /// Where a request to end the rule at once arrives.
    let signals: SignalQueue?
    /// What carries the rule, where that is no kernel.
    let pump: InterfacePump?
    var state: GuardianState

    /// Whoever changes the interface lets go of it by then: lanes drain for ten seconds at most.
    private static let patience = Duration.seconds(60)
    /// A clock that sleeps with the machine measures naps; and nobody wakes us when the network has become deserted.
    private static let longestNap = Duration.seconds(5)

    /// Waits, and ends the rule.
    consuming func run() {
        let wakers = [signals?.descriptor, pump?.channel.descriptor].compactMap { $0 }
        Wait.untilReadable([lifeline] + wakers)
        var isDue = isAsked || isTied && Wait.isReadable(lifeline)
        if hasLostPump {
            // The maker holds the interface, and may be waiting for the pump to say that it has begun.
            shutdown(lifeline, CInt(SHUT_RDWR))
        } else {
            // Mends what a maker that was killed midway left.
            recover()
        }
        let changes = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        if changes >= 0, let journal = Journal.existing() {
            inotify_add_watch(changes, journal.directory, UInt32(IN_MOVED_TO | IN_DELETE))
        }
        let lifelines = isTied ? [lifeline] : []
        persist { loop throws(ConditioningError) in
            if loop.hasLostPump {
                loop.pump?.reap()
                try loop.session().close()
                return true
            }
            switch isDue ? .end : try loop.look() {
            case .leave: if try loop.dismissPump() { return true }
            case .wait(let deadline):
                let limit = min(deadline.map { $0 - BootClock.now } ?? Self.longestNap, Self.longestNap)
                Wait.untilReadable(wakers + lifelines + [changes], limit: limit)
            case .end:
                try loop.end(isDue: isDue)
                return true
            }
            loop.drain(changes)
            isDue = loop.isAsked || loop.isTied && Wait.isReadable(loop.lifeline) || NetworkUse.isDeserted()
            return false
        }
    }

    /// Ends the rule, whatever time it is.
    consuming func endNow() {
        persist { loop throws(ConditioningError) in
            try loop.end(isDue: true)
            return true
        }
    }

    /// Does something again and again until it says that it is done, or has failed for a minute on end.
    private consuming func persist(_ body: (inout GuardianLoop) throws(ConditioningError) -> Bool) {
        var failures = 0
        while failures < 100 {
            do {
                if try body(&self) { return }
                failures = 0
            } catch  where error.code == .notFound {
                // The interface is gone, and its conditions with it.
                return
            } catch {
                failures += 1
                usleep(500_000)
            }
        }
    }

    /// Ends the pump, if any, of a rule that is the guardian's no longer: it never was put on, or has been taken off.
    /// False where the rule turns out to be the guardian's.
    private mutating func dismissPump() throws(ConditioningError) -> Bool {
        guard let pump else { return true }
        // The process that took the rule off holds the lock while it waits for the pump to hold nothing.
        let session = try session()
        guard !state.isOwn(session.reading, session.state) else { return false }
        kill(pump.process, SIGKILL)
        pump.reap()
        session.close()
        try self.session().close()
        return true
    }

    private func recover() {
        do {
            try session().close()
        } catch {}
    }

    private var isAsked: Bool { signals?.next() != nil }

    private var hasLostPump: Bool { pump.map { Wait.isReadable($0.channel.descriptor) } ?? false }

    private func drain(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }

    private func name(_ connection: RouteConnection) throws(ConditioningError) -> String {
        do throws(NetlinkError) {
            guard let link = try connection.links().first(where: { $0.index == index }) else {
                throw NetlinkError(operation: "find interface \(index)", code: ENODEV)
            }
            return link.name
        } catch {
            throw ConditioningError(error)
        }
    }

    private func session() throws(ConditioningError) -> InterfaceSession {
        let connection = try RouteConnection.current()
        return try InterfaceSession(
            name(connection),
            connection,
            journal: Journal.existing(),
            command: "guardian",
            patience: Self.patience,
            strictness: .lenient
        )
    }

    private mutating func look() throws(ConditioningError) -> GuardianState.Step {
        let connection = try RouteConnection.current()
        let name = try name(connection)
        guard let place = JournalPlace.current else { return .leave }
        let reading = Journal.existing()?.read(index, in: place) ?? .absent
        return state.next(reading, try Inspector(connection).state(of: name), now: BootClock.now)
    }

    private mutating func end(isDue: Bool) throws(ConditioningError) {
        let session = try session()
        // Another process may have confirmed or replaced the rule while it had the lock.
        let isOver = isDue || state.next(session.reading, session.state, now: BootClock.now) == .end
        guard isOver, state.isOwn(session.reading, session.state) else { return session.close() }
        let executor = session.executor
        _ = try Removal.carryOut([session.beginRemoval(of: state.selection)], by: executor)
    }
}
