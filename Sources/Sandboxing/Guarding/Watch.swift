// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import Netlink

/// What a guardian does from its start to its end.
struct Watch {
    /// The interface's index: its name may change.
    let index: Int32
    /// Readable once the maker of the rule has ended.
    let lifeline: CInt
    /// Where a request to end the rule at once arrives.
    let signals: SignalQueue?
    var vigil: Vigil

    /// Whoever changes the interface lets go of it by then: lanes drain for ten seconds at most.
    private static let patience = Duration.seconds(60)
    /// A clock that sleeps with the machine measures naps, so no nap is long.
    private static let longestNap = Duration.seconds(60)

    /// Waits, and ends the rule.
    consuming func run() {
        let wakers = [signals?.descriptor].compactMap { $0 }
        Wait.untilReadable([lifeline] + wakers)
        var isDue = isAsked
        // Mends what a maker that was killed midway left.
        if let claim = try? claim() { claim.release() }
        let changes = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        if changes >= 0, let journal = Journal.existing() {
            inotify_add_watch(changes, journal.directory, UInt32(IN_MOVED_TO | IN_DELETE))
        }
        var failures = 0
        while failures < 100 {
            do {
                let step = isDue ? .end : try look()
                switch step {
                case .leave: return
                case .wait(let deadline):
                    let limit = min(deadline - BootClock.now, Self.longestNap)
                    Wait.untilReadable(wakers + [changes], limit: limit)
                    drain(changes)
                    isDue = isAsked
                case .end:
                    try end(isDue: isDue)
                    return
                }
            } catch  where error.code == .notFound {
                // The interface is gone, and its conditions with it.
                return
            } catch {
                failures += 1
                usleep(500_000)
            }
        }
    }

    private var isAsked: Bool { signals?.next() != nil }

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
        let reading = claim.entry.map { JournalReading.entry($0) } ?? .absent
        let now = isDue ? Duration.seconds(Int64(1) << 40) : BootClock.now
        guard vigil.next(reading, claim.state, now: now) == .end else { return }
        let connection = try connect()
        _ = try Conditioner(connection).retire(claim.beginRemoval(of: vigil.selection))
        claim.finishRemoval(of: vigil.selection)
    }
}
