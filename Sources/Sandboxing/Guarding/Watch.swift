// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// What a guardian does from its start to its end.
struct Watch {
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
    var vigil: Vigil

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
            mend()
        }
        let changes = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        if changes >= 0, let journal = Journal.existing() {
            inotify_add_watch(changes, journal.directory, UInt32(IN_MOVED_TO | IN_DELETE))
        }
        let lifelines = isTied ? [lifeline] : []
        persist { watch throws(ConditioningError) in
            if watch.hasLostPump {
                watch.pump?.reap()
                try watch.claim().release()
                return true
            }
            switch isDue ? .end : try watch.look() {
            case .leave: if try watch.dismissPump() { return true }
            case .wait(let deadline):
                let limit = min(deadline.map { $0 - BootClock.now } ?? Self.longestNap, Self.longestNap)
                Wait.untilReadable(wakers + lifelines + [changes], limit: limit)
            case .end:
                try watch.end(isDue: isDue)
                return true
            }
            watch.drain(changes)
            isDue = watch.isAsked || watch.isTied && Wait.isReadable(watch.lifeline) || NetworkUse.isDeserted()
            return false
        }
    }

    /// Ends the rule, whatever time it is.
    consuming func endNow() {
        persist { watch throws(ConditioningError) in
            try watch.end(isDue: true)
            return true
        }
    }

    /// Does something again and again until it says that it is done, or has failed for a minute on end.
    private consuming func persist(_ body: (inout Watch) throws(ConditioningError) -> Bool) {
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
        // Whoever took it off waits for the pump to hold nothing, with the interface's lock.
        let claim = try claim()
        defer { claim.release() }
        guard !vigil.isOwn(claim.reading, claim.state) else { return false }
        kill(pump.process, SIGKILL)
        pump.reap()
        claim.release()
        try self.claim().release()
        return true
    }

    private func mend() {
        if let claim = try? claim() { claim.release() }
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

    private func connect() throws(ConditioningError) -> RouteConnection {
        do {
            return RouteConnection(try RouteSocket())
        } catch {
            throw ConditioningError(error)
        }
    }

    private func claim() throws(ConditioningError) -> Claim {
        let connection = try connect()
        return try Claim(
            name(connection),
            connection,
            journal: Journal.existing(),
            command: "guardian",
            patience: Self.patience,
            strictness: .lenient
        )
    }

    private mutating func look() throws(ConditioningError) -> Vigil.Step {
        let connection = try connect()
        let name = try name(connection)
        guard let place = JournalPlace.current else { return .leave }
        let reading = Journal.existing()?.read(index, in: place) ?? .absent
        do {
            let state = try Inspector(connection).device(named: name)
            return vigil.next(reading, state, now: BootClock.now)
        } catch {
            throw ConditioningError(error)
        }
    }

    private mutating func end(isDue: Bool) throws(ConditioningError) {
        let claim = try claim()
        defer { claim.release() }
        // Somebody may have confirmed, or replaced, the rule while the lock was theirs.
        let isOver = isDue || vigil.next(claim.reading, claim.state, now: BootClock.now) == .end
        guard isOver, vigil.isOwn(claim.reading, claim.state) else { return }
        let connection = try connect()
        _ = try Conditioner(connection).retire(claim.beginRemoval(of: vigil.selection))
        claim.finishRemoval(of: vigil.selection)
    }
}
