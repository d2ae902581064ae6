// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Answers a client that measures the link to this machine. Pure: receives and returns datagrams, without a socket or a
/// clock.
///
/// A datagram that was not signed with the key gets no reply. A signed hello gets a challenge of the same length
/// (``HelloBudget``), which the client must repeat from the same address and port to open a session: so its address is
/// not forged. There is one session at a time, bound to that address and port, with a derived key, so that recorded
/// datagrams are refused. In a session, the reflector sends no more bytes than it has received, and not faster than
/// `rate`.
package struct Reflector: Sendable {
    /// One moment by two clocks, in nanoseconds.
    package struct Instant: Sendable {
        /// The time of day.
        package var wall: Int64
        /// CLOCK_MONOTONIC, which is never set.
        package var monotonic: Int64

        package init(wall: Int64, monotonic: Int64) { (self.wall, self.monotonic) = (wall, monotonic) }
    }

    /// Events to report to the user.
    package enum Event: Equatable, Sendable {
        case began(PeerAddress)
        case ended(PeerAddress, bytes: Int)
    }

    /// Facts about the reflector's machine.
    package struct Machine: Sendable {
        /// The kernel's boot ID, which is the same in all namespaces.
        package var bootID: String
        /// The error bound of the machine's clock, in nanoseconds; nil if it is not synchronized.
        package var clockError: Int64?

        package init(bootID: String, clockError: Int64?) { (self.bootID, self.clockError) = (bootID, clockError) }
    }

    private let key: ReflectionKey
    /// The key of the challenges, which is random for each reflector, so that an earlier one's challenges are invalid.
    private let challenges: ReflectionKey
    private let rate: BitRate
    private let machine: Machine
    /// When the reflector ends, by the monotonic clock, in nanoseconds.
    private let end: Int64
    private var session: ReflectorSession?
    /// The challenges that have opened a session, each with the time until which it would be valid.
    private var used: [(number: UInt64, until: Int64)] = []
    private var hellos = HelloBudget()
    private var events: [Event] = []

    /// A challenge is valid for one to two slots; nanoseconds.
    private static let slot: Int64 = 5_000_000_000
    /// A session without datagrams ends after this time; nanoseconds.
    private static let idleTimeout: Int64 = 30_000_000_000

    package init(
        _ key: ReflectionKey,
        rate: BitRate,
        machine: Machine,
        end: Int64,
        random: inout some RandomNumberGenerator
    ) {
        (self.key, self.rate, self.machine, self.end) = (key, rate, machine, end)
        challenges = key.derived("challenges", random.next(), random.next())
    }

    /// Processes a datagram; returns the reply, which must be sent at once, or nil.
    ///
    /// - Parameter came: when the datagram arrived, by the time of day, in nanoseconds.
    package mutating func receive(
        _ bytes: [UInt8],
        from endpoint: PeerAddress,
        came: Int64,
        now: Instant
    ) -> [UInt8]? {
        endIfSilent(now)
        switch ReflectionPacket.kind(bytes) {
        case .hello: return challenge(bytes, endpoint, now)
        case .open: return open(bytes, endpoint, now)
        case .begin, .ask, .up, .fill, .fetch, .close:
            guard let live = session, live.endpoint == endpoint else { return nil }
            let answer = session?.receive(bytes, came: came, now: now)
            if session?.isClosed == true { endSession() }
            return answer
        case .challenge, .opened, .begun, .answer, .down, .entries, nil: return nil
        }
    }

    /// When the next datagram is due, by the time of day, in nanoseconds; nil if none is.
    package var nextSend: Int64? { session?.nextSend }

    /// Removes the datagrams that are due; returns their destination, and groups that are each sent in one call.
    package mutating func due(_ now: Instant) -> (to: PeerAddress, groups: [[[UInt8]]])? {
        endIfSilent(now)
        guard let live = session, let groups = session?.due(now) else { return nil }
        return (live.endpoint, groups)
    }

    /// Returns the events since the last call, and removes them.
    package mutating func drainEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    private mutating func endIfSilent(_ now: Instant) {
        if let session, now.monotonic - session.lastHeard > Self.idleTimeout { endSession() }
    }

    private mutating func endSession() {
        guard let session else { return }
        events.append(.ended(session.endpoint, bytes: session.received))
        self.session = nil
    }

    // MARK: Before a session

    private mutating func challenge(_ bytes: [UInt8], _ endpoint: PeerAddress, _ now: Instant) -> [UInt8]? {
        guard let hello = ReflectionPacket(bytes, key),
            hellos.admits(hello.session, sent: hello.times.0, from: endpoint, now)
        else { return nil }
        let number = number(hello.session, endpoint, slot: now.monotonic / Self.slot)
        return ReflectionPacket(.challenge, session: hello.session, number: number).encoded(key)
    }

    private func number(_ session: UInt64, _ endpoint: PeerAddress, slot: Int64) -> UInt64 {
        challenges.derived("slot", session, UInt64(bitPattern: slot)).number(
            endpoint.bytes + [UInt8(endpoint.port >> 8), UInt8(endpoint.port & 255)]
        )
    }

    private mutating func open(_ bytes: [UInt8], _ endpoint: PeerAddress, _ now: Instant) -> [UInt8]? {
        guard let packet = ReflectionPacket(bytes, key) else { return nil }
        let slot = now.monotonic / Self.slot
        guard [slot, slot - 1].contains(where: { number(packet.session, endpoint, slot: $0) == packet.number }) else {
            return nil
        }
        var answer = ReflectionPacket(.opened, session: packet.session, number: packet.number)
        if let session {
            // A repeated request of the same client: the first reply may have been lost.
            if session.id != packet.session || session.endpoint != endpoint { answer.value = -1 }
        } else {
            used.removeAll { $0.until < now.monotonic }
            guard !used.contains(where: { $0.number == packet.number }) else { return nil }
            used.append((packet.number, now.monotonic + 2 * Self.slot))
            session = ReflectorSession(
                id: packet.session,
                endpoint: endpoint,
                key: Self.sessionKey(key, packet.session, packet.number),
                rate: rate,
                now: now
            )
            events.append(.began(endpoint))
        }
        if answer.value == 0 { answer.value = Int64(clamping: rate.bitsPerSecond) }
        answer.times = (machine.clockError ?? -1, max(end - now.monotonic, 0))
        answer.phase = 0
        let identity = key.derived("machine").number(Array(machine.bootID.utf8))
        answer.body = withUnsafeBytes(of: identity.bigEndian) { Array($0) }
        let encoded = answer.encoded(key)
        return encoded.count <= bytes.count ? encoded : nil
    }

    /// Derives the key that signs the datagrams of one session.
    static func sessionKey(_ key: ReflectionKey, _ session: UInt64, _ challenge: UInt64) -> ReflectionKey {
        key.derived("session", session, challenge)
    }
}
