// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

@testable import ClientVerdicts
@testable import TestPackets

/// The ends of a connection.
struct SimulatedEnds: Hashable {
    var clientPort: UInt16
    var host: UInt8
    var serverPort: UInt16
}

/// One end of a TCP connection, as far as its kernel makes it (RFC 9293, RFC 6298). Positions in a stream count from the
/// SYN, which has 0.
final class SimulatedTCP {
    enum State {
        /// The client has sent SYN.
        case asking
        /// The server has answered it.
        case answering
        case established
        /// Both sides have finished.
        case waiting
        case gone
    }

    private static let segment = 1000
    private static let window = 8
    private static let minimumTimeout = Int64.ms(200)

    let ends: SimulatedEnds
    let isClient: Bool
    private let clock: SimulatedClock
    private let send: (TestPacket) -> Void
    private let initial: UInt32
    private var other: UInt32 = 0
    private(set) var state: State
    /// Whether a process holds the socket.
    private(set) var isHeld = true
    /// Whether the process reads, or has closed its side.
    private(set) var isFinishing = false
    /// Whether the other side has finished.
    private(set) var isFinished = false
    private var output: [UInt8] = []
    /// The first position that is not confirmed, the next to be sent, and the next that was never sent.
    private var (confirmed, next, highest) = (0, 0, 0)
    /// Until where to send again what a timeout has shown lost.
    private var recovery = 0
    private var expected = 0
    /// What came before what precedes it.
    private var early: [TestPacket] = []
    /// Of each position of the other side's stream, whether it has come.
    private var arrived: [Bool] = []
    private var timeout = Int64.ms(1000)
    private var timer = 0
    private var expiries = 0
    private var asked: Int64 = 0
    /// What happens to the socket, for the process that holds it.
    var onEstablished: () -> Void = {}
    var onData: ([UInt8]) -> Void = { _ in }
    /// New data has come to the kernel, perhaps before what precedes it.
    var onArrival: () -> Void = {}
    var onFinish: () -> Void = {}
    /// The other side refuses or resets it, or does not answer the kernel.
    var onGone: () -> Void = {}
    /// A packet carries SYN, data or FIN again.
    var onRetransmission: () -> Void = {}

    init(
        _ ends: SimulatedEnds,
        isClient: Bool,
        initial: UInt32,
        _ clock: SimulatedClock,
        _ send: @escaping (TestPacket) -> Void
    ) {
        (self.ends, self.isClient, self.initial) = (ends, isClient, initial)
        (self.clock, self.send) = (clock, send)
        state = isClient ? .asking : .answering
    }

    /// The state in which /proc/net/tcp shows a socket that no process holds, and whose FIN is not confirmed.
    var isSendingEnd: Bool { isFinishing && !isHeld && state == .established && confirmed < total }

    private var end: Int { 1 + output.count }
    private var total: Int { end + (isFinishing ? 1 : 0) }

    // MARK: What the process asks for

    func connect() {
        asked = clock.now
        push()
    }

    /// Writes bytes; returns whether the first of them is on its way.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        guard state != .gone, !isFinishing else { return false }
        let first = end
        output += bytes
        push()
        return highest > first
    }

    /// Closes the socket, or ends the side of the process that holds it on.
    func close(holding: Bool = false) {
        isHeld = holding
        guard state != .asking, state != .gone else { return leave() }
        guard !isFinishing else { return }
        isFinishing = true
        push()
    }

    /// Closes the socket by RST (SO_LINGER 0).
    func abort() {
        isHeld = false
        if state != .asking, state != .gone { emit(next, [.reset, .acknowledgment]) }
        leave()
    }

    private func leave() {
        (state, isHeld) = (.gone, false)
        timer += 1
    }

    // MARK: Sending

    private func emit(_ position: Int, _ flags: TCPHeader.Flags, _ payload: [UInt8] = []) {
        var packet = TestPacket()
        packet.isFromClient = isClient
        (packet.clientPort, packet.serverPort, packet.host) = (ends.clientPort, ends.serverPort, ends.host)
        packet.flags = flags
        packet.sequence = initial &+ UInt32(position)
        if flags.contains(.acknowledgment) { packet.acknowledgment = other &+ UInt32(expected) }
        packet.payload = payload
        send(packet)
    }

    private func acknowledge() { emit(next, [.acknowledgment]) }

    /// Sends what the window has room for.
    private func push() {
        if state == .asking || state == .answering {
            if next == 0 { transmit(at: 0) }
            return
        }
        guard state == .established else { return }
        while next < total, next - confirmed < Self.window * Self.segment { transmit(at: next) }
    }

    private func transmit(at position: Int) {
        var length: Int
        if position == 0 {
            length = 1
            if highest > 0 { onRetransmission() }
            emit(0, isClient ? [.syn] : [.syn, .acknowledgment])
        } else {
            let data = Array(output[min(position - 1, output.count)..<min(position - 1 + Self.segment, output.count)])
            let isLast = isFinishing && position + data.count == end
            length = data.count + (isLast ? 1 : 0)
            guard length > 0 else { return }
            if position < highest { onRetransmission() }
            var flags: TCPHeader.Flags = data.isEmpty ? [.acknowledgment] : .data
            if isLast { flags.insert(.fin) }
            emit(position, flags, data)
        }
        next = max(next, position + length)
        highest = max(highest, next)
        arm()
    }

    private func arm() {
        timer += 1
        let number = timer
        clock.after(timeout) { [weak self] in
            guard let self, number == timer, confirmed < next, state != .gone else { return }
            expiries += 1
            guard expiries <= (state == .established ? 12 : 5) else {
                leave()
                return onGone()
            }
            timeout *= 2
            recovery = next
            transmit(at: confirmed)
        }
    }

    // MARK: Receiving

    func receive(_ packet: TestPacket) {
        guard let flags = packet.flags, state != .gone else { return }
        let acknowledged = Int(Int32(bitPattern: packet.acknowledgment &- initial))
        if state == .asking {
            guard flags.contains(.acknowledgment), acknowledged == 1 else { return }
            if flags.contains(.reset) {
                leave()
                return onGone()
            }
            guard flags.contains(.syn) else { return }
            (other, expected, confirmed, state) = (packet.sequence, 1, 1, .established)
            settle()
            timer += 1
            acknowledge()
            return onEstablished()
        }
        if !isClient, flags == [.syn] {
            if state == .answering, other == packet.sequence || expected == 0 {
                (other, expected) = (packet.sequence, 1)
                return transmit(at: 0)
            }
            return acknowledge()
        }
        if flags.contains(.syn) { return acknowledge() }
        let position = position(of: packet)
        if flags.contains(.reset) {
            // A blind guess of an attacker is no reset (RFC 5961).
            guard position == expected else { return acknowledge() }
            leave()
            return onGone()
        }
        take(acknowledged)
        guard state != .gone else { return }
        take(packet, at: position, flags)
    }

    /// What is known of the round trip.
    private func settle() {
        expiries = 0
        let trip = asked > 0 && isClient ? clock.now - asked : Self.minimumTimeout
        timeout = max(min(trip, Int64.ms(2000)) * 2, Self.minimumTimeout) + Int64.ms(100)
    }

    private func take(_ acknowledged: Int) {
        guard acknowledged > confirmed, acknowledged <= highest else { return }
        confirmed = acknowledged
        next = max(next, confirmed)
        if state == .answering {
            state = .established
            onEstablished()
        }
        settle()
        if confirmed < recovery { transmit(at: confirmed) }
        push()
        if confirmed < next { arm() } else { timer += 1 }
        endIfDone()
    }

    private func take(_ packet: TestPacket, at position: Int, _ flags: TCPHeader.Flags) {
        let isLast = flags.contains(.fin)
        guard !packet.payload.isEmpty || isLast else { return }
        if !packet.payload.isEmpty, !isHeld, position + packet.payload.count > expected {
            // Nobody reads it: the kernel has no use for the connection (RFC 9293, section 3.6.1).
            emitReset(to: packet)
            return leave()
        }
        guard position + packet.payload.count + (isLast ? 1 : 0) > expected else { return acknowledge() }
        note(position..<position + packet.payload.count)
        early.append(packet)
        while state != .gone, let index = early.firstIndex(where: { isNext($0) }) { read(early.remove(at: index)) }
        if state != .gone { acknowledge() }
        endIfDone()
    }

    private func note(_ range: Range<Int>) {
        while arrived.count < range.upperBound { arrived.append(false) }
        guard !range.isEmpty, arrived[range].contains(false) else { return }
        for position in range { arrived[position] = true }
        onArrival()
    }

    private func position(of packet: TestPacket) -> Int { Int(Int32(bitPattern: packet.sequence &- other)) }

    private func isNext(_ packet: TestPacket) -> Bool {
        let begin = position(of: packet)
        let end = begin + packet.payload.count + (packet.flags?.contains(.fin) == true ? 1 : 0)
        return begin <= expected && end > expected
    }

    /// Hands the process what it has not read of a packet.
    private func read(_ packet: TestPacket) {
        let new = Array(packet.payload.dropFirst(expected - position(of: packet)))
        expected += new.count
        let finishes = packet.flags?.contains(.fin) == true
        if finishes {
            expected += 1
            isFinished = true
        }
        if !new.isEmpty { onData(new) }
        if finishes, state != .gone { onFinish() }
    }

    private func endIfDone() {
        if isFinished, isFinishing, confirmed == total, state == .established { state = .waiting }
    }

    private func emitReset(to packet: TestPacket) {
        var reset = packet
        reset.isFromClient = isClient
        (reset.flags, reset.payload) = ([.reset], [])
        (reset.sequence, reset.acknowledgment) = (packet.acknowledgment, 0)
        send(reset)
    }
}
