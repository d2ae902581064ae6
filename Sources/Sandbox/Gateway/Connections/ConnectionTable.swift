// SPDX-License-Identifier: Apache-2.0

/// The TCP connections between the sandbox's clients and the servers outside: their state, without sockets or a clock.
///
/// A client's first packet waits here until its server has answered, so that the client sees the server's refusal,
/// absence or silence. After that, the kernel of the gateway's network holds the connection with the client, under the
/// addresses that stand for the connection's number (``FarAddresses``).
struct ConnectionTable {
    /// The decision on a client's packet.
    enum Decision: Equatable {
        /// The packet goes to the kernel, which holds the connection of this number.
        case forward(Int)
        /// The packet is kept, and a connection to the server is to be opened.
        case ask(Int)
        /// The packet is kept until the server has answered, or dropped.
        case nothing
        /// The packet is dropped, since the limit of connections is reached.
        case full
        /// The packet belongs to no connection: it is answered with RST.
        case reset
    }

    /// The most connections that are not over; of them, the most whose server has not answered; the most remembered
    /// ended ones.
    struct Limits {
        var connections = 65_536
        var questions = 4_096
        var ended = 65_536
    }

    private enum State {
        /// The server has not answered yet. `packet` is the client's latest SYN; `before` and `last` are the times of
        /// its last two.
        case asked(packet: [UInt8], before: Int64, last: Int64)
        case open
        /// A further path of an open connection (RFC 8684), which the kernel finds by the token in the SYN, with the
        /// sides that have ended the path.
        case joined(hasEnded: (client: Bool, server: Bool))
        case over
    }

    private struct Connection {
        let ends: Ends
        var state: State
        /// The times of the connection's first packet, and of the latest packet of either side, in nanoseconds.
        let begin: Int64
        var lastUse: Int64
        /// Whether the connection may have further paths: Multipath TCP.
        let isMultipath: Bool
        /// Whether ``lose(_:begun:used:)`` has marked the connection, since the network has forgotten its client.
        var isLost = false

        init(_ ends: Ends, _ state: State, isMultipath: Bool, now: Int64) {
            (self.ends, self.state, self.isMultipath, begin, lastUse) = (ends, state, isMultipath, now, now)
        }
    }

    /// How long an ended connection is remembered, in nanoseconds: its last packets may have to be retransmitted.
    private static let rest: Int64 = 120_000_000_000
    /// The time until a client retransmits its SYN for the first time, in nanoseconds (RFC 6298, section 2).
    private static let firstTimeout: Int64 = 1_000_000_000

    private let limits: Limits
    private var connections: [Int: Connection] = [:]
    private var numbers: [Ends: Int] = [:]
    private var next = 0
    private var questions = 0
    /// The ended connections in the order of their ends; those before index `firstEnded` are already forgotten.
    private var ended: [(number: Int, time: Int64)] = []
    private var firstEnded = 0

    init(limits: Limits = Limits()) {
        // Otherwise the search for a free number would never end.
        precondition(limits.connections + limits.ended < FarAddresses.count, "more connections than numbers")
        self.limits = limits
    }

    var count: Int { connections.count }

    /// The ends of the connection with this number; nil if there is none.
    func ends(of number: Int) -> Ends? { connections[number]?.ends }

    /// Updates the connection that a client's packet belongs to, and decides what happens with the packet.
    ///
    /// - Parameters:
    ///   - packet: the packet's bytes, which are kept if the packet has to wait.
    ///   - multipath: the request for Multipath TCP in a SYN; nil for none.
    ///   - now: nanoseconds since a fixed moment.
    mutating func receive(
        _ packet: @autoclosure () -> [UInt8],
        _ ends: Ends,
        _ flags: TCPFlags,
        multipath: MultipathRequest? = nil,
        now: Int64
    ) -> Decision {
        expire(now: now)
        let isFirst = flags.contains(.syn) && !flags.contains(.ack)
        guard let number = numbers[ends], let connection = connections[number] else {
            return isFirst ? open(packet(), ends, multipath, now: now) : flags.contains(.rst) ? .nothing : .reset
        }
        switch connection.state {
        case .open:
            connections[number]?.lastUse = now
            return .forward(number)
        case .joined where isFirst && multipath != .join:
            // The path ended without FIN or RST, and the client reuses its port.
            hasEnded(number, now: now)
            numbers[ends] = nil
            return open(packet(), ends, multipath, now: now)
        case .joined(let before):
            connections[number]?.lastUse = now
            guard !flags.isDisjoint(with: [.fin, .rst]) else { return .forward(number) }
            end(number, by: (before.client || flags.contains(.fin), before.server), flags, now: now)
            return .forward(number)
        case .over:
            guard isFirst else { return .forward(number) }
            // The client reuses its port, as a kernel may after TIME_WAIT.
            numbers[ends] = nil
            return open(packet(), ends, multipath, now: now)
        case .asked(_, _, let last):
            if isFirst {
                connections[number]?.state = .asked(packet: packet(), before: last, last: now)
            } else if flags.contains(.rst) {
                forget(number)
            }
            return .nothing
        }
    }

    /// Records a packet from the kernel to the client of the connection with this number.
    mutating func hasSent(_ flags: TCPFlags, to number: Int, now: Int64) {
        connections[number]?.lastUse = now
        guard !flags.isDisjoint(with: [.fin, .rst]), case .joined(let before) = connections[number]?.state else {
            return
        }
        end(number, by: (before.client, before.server || flags.contains(.fin)), flags, now: now)
    }

    /// Records which sides have ended a path. The connection is over after RST, or once both sides have ended it.
    private mutating func end(_ number: Int, by sides: (client: Bool, server: Bool), _ flags: TCPFlags, now: Int64) {
        connections[number]?.state = .joined(hasEnded: sides)
        if flags.contains(.rst) || (sides.client && sides.server) { hasEnded(number, now: now) }
    }

    private mutating func open(
        _ packet: @autoclosure () -> [UInt8],
        _ ends: Ends,
        _ multipath: MultipathRequest?,
        now: Int64
    ) -> Decision {
        let joins = multipath == .join
        precondition(connections.count >= ended.count - firstEnded, "a connection that has ended is not known")
        guard connections.count - ended.count + firstEnded < limits.connections,
            joins || questions < limits.questions
        else { return .full }
        while connections[next] != nil { next = (next + 1) % FarAddresses.count }
        let number = next
        next = (next + 1) % FarAddresses.count
        precondition(numbers[ends] == nil, "two connections have the same ends")
        numbers[ends] = number
        guard !joins else {
            connections[number] = Connection(ends, .joined(hasEnded: (false, false)), isMultipath: true, now: now)
            return .forward(number)
        }
        let state = State.asked(packet: packet(), before: now - Self.firstTimeout, last: now)
        connections[number] = Connection(ends, state, isMultipath: multipath != nil, now: now)
        questions += 1
        return .ask(number)
    }

    /// Opens the connection, whose server has accepted. Returns the client's SYN for the kernel; nil if the client has
    /// given up.
    mutating func serverHasAccepted(_ number: Int, now: Int64) -> [UInt8]? {
        guard case .asked(let packet, let before, let last) = connections[number]?.state else { return nil }
        // A client that still waits would have retransmitted its SYN by now: each timeout is twice the one before.
        guard now - last <= 3 * max(last - before, Self.firstTimeout) else {
            forget(number)
            return nil
        }
        connections[number]?.state = .open
        questions -= 1
        precondition(questions >= 0, "more servers have answered than were asked")
        return packet
    }

    /// Forgets the connection, whose server refused or cannot be reached. Returns the client's SYN, which has to be
    /// answered with the error; nil if the client has given up meanwhile.
    mutating func serverHasRefused(_ number: Int) -> [UInt8]? {
        guard case .asked(let packet, _, _) = connections[number]?.state else { return nil }
        forget(number)
        return packet
    }

    /// Notes that both directions of a connection have ended, or that it was reset.
    mutating func hasEnded(_ number: Int, now: Int64) {
        switch connections[number]?.state {
        case .open, .joined: break
        case .asked, .over, nil: return
        }
        connections[number]?.state = .over
        ended.append((number, now))
        if ended.count - firstEnded > limits.ended { forgetFirstEnded() }
    }

    /// Marks connections as lost, since the network has forgotten their clients, and returns their numbers. Connections
    /// of Multipath TCP are left out: they may have other paths.
    ///
    /// - Parameters:
    ///   - isLost: whether the network has forgotten a client.
    ///   - time: only connections that began before this moment.
    ///   - lastUse: only connections whose latest packet came before this moment.
    mutating func lose(_ isLost: (FlowEndpoint) -> Bool, begun time: Int64 = .max, used lastUse: Int64 = .max) -> [Int]
    {
        let numbers = connections.compactMap { number, connection -> Int? in
            guard case .open = connection.state, !connection.isLost, !connection.isMultipath, connection.begin < time,
                connection.lastUse < lastUse, isLost(connection.ends.client)
            else { return nil }
            return number
        }
        for number in numbers { connections[number]?.isLost = true }
        return numbers
    }

    private mutating func forget(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if case .asked = connection.state { questions -= 1 }
        precondition(questions >= 0, "more servers have answered than were asked")
        if numbers[connection.ends] == number { numbers[connection.ends] = nil }
    }

    private mutating func expire(now: Int64) {
        while firstEnded < ended.count, now - ended[firstEnded].time > Self.rest { forgetFirstEnded() }
    }

    private mutating func forgetFirstEnded() {
        let number = ended[firstEnded].number
        guard case .over = connections[number]?.state else { preconditionFailure("a connection has ended twice") }
        forget(number)
        firstEnded += 1
        guard firstEnded > 1024, firstEnded > ended.count / 2 else { return }
        ended.removeSubrange(..<firstEnded)
        firstEnded = 0
    }
}
