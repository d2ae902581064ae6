// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinkVerification

/// The client's side of a session with a reflector.
final class PeerConnection {
    /// The reflector's description of itself when the session opens.
    struct Peer {
        /// The highest rate at which the reflector sends.
        let rate: BitRate
        /// The error bound of the reflector's clock, in nanoseconds; nil if that clock is not synchronized.
        let clockError: Int64?
        /// Whether the reflector runs on this machine's kernel, and so uses the same clock.
        let isHere: Bool
    }

    private let socket: DatagramSocket
    private let address: PeerAddress
    private let id: UInt64
    private var key: ReflectionKey
    private var asked: UInt64 = 0
    /// The longest round trip so far, in nanoseconds.
    private var roundTrip: Int64 = 50_000_000
    /// How long to retry while the reflector is busy, in nanoseconds: it drops the session of a killed client after 30
    /// s.
    private static let busyTimeout: Int64 = 35_000_000_000
    /// How long to wait for a reply before giving up, in nanoseconds.
    private static let answerTimeout: Int64 = 15_000_000_000

    init(_ address: PeerAddress, device: String?, _ key: ReflectionKey) throws(ProbeError) {
        (self.address, self.key) = (address, key)
        socket = try DatagramSocket(isIPv6: address.isIPv6)
        if let device { try socket.bind(toDevice: device) }
        try socket.connect(address)
        id = UInt64.random(in: 1...UInt64.max)
    }

    /// Opens the session. While the reflector is busy with another client, retries for `busyTimeout`.
    func open(bootID: String) throws(ProbeError) -> Peer {
        let end = lc_monotonic_time() + Self.busyTimeout
        while true {
            if let peer = try tryToOpen(bootID) { return peer }
            guard lc_monotonic_time() < end else { throw ProbeError("\(address) is busy with another measurement") }
            sleep(2)
        }
    }

    /// Tries to open a session; nil while the reflector is busy with another client.
    private func tryToOpen(_ bootID: String) throws(ProbeError) -> Peer? {
        let hello = ReflectionPacket(.hello, session: id)
        guard let challenge = try ask(hello, length: 128, for: { $0.kind == .challenge }) else {
            throw ProbeError(
                "\(address) does not answer: is \"linkcond reflect\" running there, with this LINKCOND_KEY, "
                    + "and does the link let anything through?"
            )
        }
        let open = ReflectionPacket(.open, session: id, number: challenge.number)
        guard let opened = try ask(open, length: 128, for: { $0.kind == .opened && $0.body.count >= 8 }) else {
            throw ProbeError("\(address) stopped answering")
        }
        guard opened.value > 0 else { return nil }
        let identity = key.derived("machine").number(Array(bootID.utf8))
        let theirs = opened.body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        key = Reflector.sessionKey(key, id, challenge.number)
        return Peer(
            rate: BitRate(bitsPerSecond: UInt64(opened.value)),
            clockError: opened.times.0 < 0 ? nil : opened.times.0,
            // Two machines whose boot ID is unreadable are not taken for the same.
            isHere: !bootID.isEmpty && identity == theirs
        )
    }

    /// Sends a request repeatedly until its reply arrives; nil if none does within `answerTimeout`.
    func ask(
        _ question: ReflectionPacket,
        length: Int = 0,
        for isAnswer: (ReflectionPacket) -> Bool
    ) throws(ProbeError) -> ReflectionPacket? {
        var question = question
        let start = lc_monotonic_time()
        var next = start
        while true {
            let now = lc_monotonic_time()
            if now - start > Self.answerTimeout { return nil }
            if now >= next {
                // Each hello is answered only once, so a retransmission gets a new time.
                if question.kind == .hello { question.times.0 = lc_wall_time() }
                try socket.send(question.encoded(key, length: length))
                next = now + min(2 * roundTrip + 20_000_000 + (now - start) / 2, 3_000_000_000)
            }
            while let arrival = try socket.receive() {
                guard let packet = ReflectionPacket(arrival.bytes, key), packet.session == id, isAnswer(packet) else {
                    continue
                }
                roundTrip = max(roundTrip, lc_monotonic_time() - now)
                return packet
            }
            socket.wait(next - lc_monotonic_time())
        }
    }

    /// Exchanges `count` time stamps with the reflector; returns the exchanges that were answered and the latest
    /// credit.
    func compare(_ count: Int, every interval: Duration) throws(ProbeError) -> (
        exchanges: [ClockExchange], credit: Int64
    ) {
        var exchanges: [ClockExchange] = []
        var (sent, credit): ([UInt64: Int64], Int64) = ([:], 0)
        var pace = PacedSends(ProbeTraffic(packets: count, interval: interval, payload: 128), start: lc_wall_time())
        var end = Int64.max
        while exchanges.count < count, lc_wall_time() < end {
            let now = lc_wall_time()
            if pace.next <= now {
                _ = pace.dequeue(now)
                asked += 1
                let packet = ReflectionPacket(.ask, session: id, number: asked).encoded(key, length: 128)
                sent[asked] = lc_wall_time()
                try socket.send(packet)
                if pace.next == .max { end = now + 3 * roundTrip + 200_000_000 }
            }
            while let arrival = try socket.receive() {
                guard let packet = ReflectionPacket(arrival.bytes, key), packet.session == id, packet.kind == .answer,
                    let asked = sent.removeValue(forKey: packet.number)
                else { continue }
                exchanges.append(
                    ClockExchange(asked: asked, came: packet.times.0, answered: packet.times.1, returned: arrival.time)
                )
                credit = packet.value
                roundTrip = max(roundTrip, arrival.time - asked)
            }
            socket.wait(min(pace.next, end) - lc_wall_time())
        }
        return (exchanges, credit)
    }

    /// Downloads the reflector's log of a phase: the packets that it sent (`sends`), or else the packets that it
    /// received.
    func log(_ phase: UInt8, sends: Bool) throws(ProbeError) -> [FlowLog.Entry] {
        var entries: [FlowLog.Entry] = []
        var total = 1
        while entries.count < total {
            var question = ReflectionPacket(.fetch, session: id, number: UInt64(entries.count))
            (question.phase, question.value) = (phase, sends ? 1 : 0)
            let answer = try ask(question, length: ReflectionPacket.maximumLength) {
                $0.kind == .entries && $0.phase == phase && $0.number == question.number
                    && $0.times.1 == question.value
            }
            guard let answer, let part = FlowLog.decoded(answer.body, count: Int(clamping: answer.value)) else {
                throw ProbeError("\(address) stopped answering")
            }
            total = Int(clamping: answer.times.0)
            guard !part.isEmpty || total == entries.count else { throw ProbeError("\(address) answers nonsense") }
            entries += part
        }
        return entries
    }

    /// Sends measured datagrams, or datagrams that earn credit, in one call.
    func send(_ kind: ReflectionPacket.Kind, phase: UInt8, _ numbers: Range<Int>, length: Int) throws(ProbeError) {
        let datagrams = numbers.map { number in
            var packet = ReflectionPacket(kind, session: id, number: UInt64(number))
            packet.phase = phase
            return packet.encoded(key, length: length)
        }
        try socket.send(datagrams)
    }

    /// Receives the next downlink packet of the phase without waiting; nil if there is none.
    func receive(_ phase: UInt8) throws(ProbeError) -> (number: Int, time: Int64)? {
        while let arrival = try socket.receive() {
            guard let packet = ReflectionPacket(arrival.bytes, key), packet.session == id, packet.kind == .down,
                packet.phase == phase, let number = Int(exactly: packet.number)
            else { continue }
            return (number, arrival.time)
        }
        return nil
    }

    func wait(_ nanoseconds: Int64) { socket.wait(nanoseconds) }

    /// Ends the session at once, and not after the reflector's idle timeout. Sent three times, since packets may be
    /// lost.
    func close() {
        for _ in 0..<3 { try? socket.send(ReflectionPacket(.close, session: id).encoded(key)) }
    }

    func begin(_ phase: UInt8, _ request: PhaseRequest) throws(ProbeError) {
        var question = ReflectionPacket(.begin, session: id, number: UInt64(phase))
        (question.phase, question.body) = (phase, request.encoded)
        let answer = try ask(question, length: 128) { $0.kind == .begun && $0.phase == phase }
        guard answer != nil else { throw ProbeError("\(address) stopped answering") }
    }
}
