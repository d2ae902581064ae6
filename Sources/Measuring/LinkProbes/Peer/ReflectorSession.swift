// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkVerification

/// One client's session, on the reflector's side.
struct ReflectorSession: Sendable {
    let id: UInt64
    let endpoint: PeerAddress
    private let key: ReflectionKey
    /// When the client's last datagram arrived, by the monotonic clock, in nanoseconds.
    private(set) var lastHeard: Int64
    private(set) var isClosed = false
    /// The bytes received, with headers.
    private(set) var received = 0
    private(set) var sent = 0
    /// The bytes of Ethernet, IPv6 and UDP headers, which count too: otherwise one long datagram would earn credit for
    /// many short ones, which are more bytes on the wire.
    static let headers = 62
    private var allowance: Allowance

    private var phase: UInt8 = 0
    private var request: PhaseRequest?
    private var arrivals = FlowLog(limit: 0)
    private var sends = FlowLog(limit: 0)
    private var pace: PacedSends?
    private var lastAsked: UInt64 = 0

    init(id: UInt64, endpoint: PeerAddress, key: ReflectionKey, rate: BitRate, now: Reflector.Instant) {
        (self.id, self.endpoint, self.key) = (id, endpoint, key)
        lastHeard = now.monotonic
        allowance = Allowance(rate, now.monotonic)
    }

    /// Processes a datagram from the session's endpoint; returns the reply, or nil.
    mutating func receive(_ bytes: [UInt8], came: Int64, now: Reflector.Instant) -> [UInt8]? {
        guard let packet = ReflectionPacket(bytes, key), packet.session == id else { return nil }
        lastHeard = now.monotonic
        received += bytes.count + Self.headers
        guard let answer = answer(to: packet, length: bytes.count, came: came, now: now) else { return nil }
        let encoded = answer.encoded(key)
        return encoded.count <= bytes.count && spend(encoded.count, now) ? encoded : nil
    }

    private mutating func answer(
        to packet: ReflectionPacket,
        length: Int,
        came: Int64,
        now: Reflector.Instant
    ) -> ReflectionPacket? {
        var answer = ReflectionPacket(.answer, session: id, number: packet.number)
        answer.phase = packet.phase
        switch packet.kind {
        case .up:
            if packet.phase == phase, let request, packet.number < request.arriving {
                arrivals.add(Int(packet.number), came)
            }
            return nil
        case .ask:
            // Each request is answered once.
            guard packet.number > lastAsked else { return nil }
            lastAsked = packet.number
            (answer.times, answer.value) = ((came, now.wall), Int64(received - sent))
        case .begin:
            guard let request = PhaseRequest(packet.body) else { return nil }
            if packet.phase == phase &+ 1 {
                begin(request, came)
            } else if packet.phase != phase || request != self.request {
                return nil
            }
            answer.kind = .begun
        case .fetch:
            guard packet.phase == phase else { return nil }
            let log = packet.value == 0 ? arrivals : sends
            let room = length - ReflectionPacket.headerLength
            let (count, bytes) = log.encoded(from: Int(clamping: packet.number), length: room)
            answer.kind = .entries
            (answer.times.0, answer.times.1, answer.value) = (Int64(log.entries.count), packet.value, Int64(count))
            answer.body = bytes
        case .close:
            isClosed = true
            answer.kind = .close
        default: return nil
        }
        return answer
    }

    private mutating func begin(_ request: PhaseRequest, _ came: Int64) {
        phase &+= 1
        self.request = request
        // Room for one duplicate of each packet, since duplicates are measured, too.
        arrivals = FlowLog(limit: 2 * request.arriving)
        sends = FlowLog(limit: request.answer?.packets ?? 0)
        pace = request.answer.map { PacedSends($0, start: came + request.pause.nanoseconds) }
    }

    // MARK: The downlink

    var nextSend: Int64? { pace.flatMap { $0.next == .max ? nil : $0.next } }

    /// Removes the groups that are due. A packet without credit, or above the rate, is neither sent nor logged.
    mutating func due(_ now: Reflector.Instant) -> [[[UInt8]]] {
        var groups: [[[UInt8]]] = []
        while let pace, pace.next <= now.wall {
            let packets = self.pace?.dequeue(now.wall) ?? 0..<0
            var datagrams: [[UInt8]] = []
            for number in packets where spend(pace.traffic.payload, now) {
                var packet = ReflectionPacket(.down, session: id, number: UInt64(number))
                packet.phase = phase
                datagrams.append(packet.encoded(key, length: pace.traffic.payload))
                sends.add(number, now.wall)
            }
            groups.append(datagrams)
        }
        return groups
    }

    /// Whether a datagram may leave: within the bytes received and the rate. Subtracts it from both if so.
    private mutating func spend(_ payload: Int, _ now: Reflector.Instant) -> Bool {
        let bytes = payload + Self.headers
        guard received - sent >= bytes, allowance.spend(bytes, now.monotonic) else { return false }
        sent += bytes
        return true
    }
}

/// A token bucket, which holds the bytes of a tenth of a second at the rate.
private struct Allowance {
    private let bytesPerNanosecond: Double
    private let maximum: Double
    private var bytes: Double
    private var time: Int64

    init(_ rate: BitRate, _ now: Int64) {
        bytesPerNanosecond = Double(rate.bitsPerSecond) / 8e9
        maximum = max(bytesPerNanosecond * 100_000_000, 3_000)
        (bytes, time) = (maximum, now)
    }

    mutating func spend(_ count: Int, _ now: Int64) -> Bool {
        bytes = min(bytes + Double(now - time) * bytesPerNanosecond, maximum)
        time = now
        guard bytes >= Double(count) else { return false }
        bytes -= Double(count)
        return true
    }
}
