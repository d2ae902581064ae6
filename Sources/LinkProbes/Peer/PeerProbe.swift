// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
package import LinkVerification

/// Sends the packets of phases to a reflector and has it send the others, so that each way is measured by itself.
package struct PeerProbe {
    private let peer: PeerAddress
    private let device: String?
    private let key: ReflectionKey
    private let bootID: String
    /// What the uplink carries; nil for no limit.
    private let uplink: BitRate?

    /// What was measured.
    package struct Result {
        package var phases: [PhaseRecord] = []
        package var clock: ClockComparison
        /// What could not be sent, in words.
        package var shortfalls: [String] = []
    }

    /// - Parameter uplink: what the link carries to the peer, which is filled no more than that; nil for no limit.
    package init(_ peer: PeerAddress, device: String?, _ key: ReflectionKey, bootID: String, uplink: BitRate?) {
        (self.peer, self.device, self.key, self.bootID, self.uplink) = (peer, device, key, bootID, uplink)
    }

    /// How often times are exchanged at once.
    private static let exchanges = 20
    /// The longest time for bytes that the peer may send later.
    private static let fillingTime: Int64 = 10_000_000_000
    /// What is sent for them on an uplink without a rate.
    private static let usualRate = BitRate(bitsPerSecond: 50_000_000)

    /// - Parameter progress: is called several times a second.
    package func run(_ phases: [ProbePhase], progress: (() -> Void)?) throws(ProbeError) -> Result {
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        let connection = try PeerConnection(peer, device: device, key)
        let known = try connection.open(bootID: bootID)
        defer { connection.close() }
        var times: [[ClockExchange]] = []
        var (raw, shortfalls): ([RawPhase], [String]) = ([], [])
        for (index, phase) in phases.enumerated() {
            times.append(try compare(connection).exchanges)
            var phase = phase
            shortfalls += try allow(&phase, known.rate, connection, progress)
            raw.append(try Self.measure(phase, UInt8(truncatingIfNeeded: index + 1), connection, progress))
        }
        times.append(try compare(connection).exchanges)
        let own = lc_clock_error()
        let bound = known.clockError.flatMap { own < 0 ? nil : own + $0 }
        guard let clock = known.isHere ? .same : ClockComparison(times, synchronized: bound) else {
            throw ProbeError("\(peer) stopped answering")
        }
        return Result(phases: raw.map { $0.record(clock) }, clock: clock, shortfalls: shortfalls)
    }

    private func compare(_ connection: PeerConnection) throws(ProbeError) -> (exchanges: [ClockExchange], credit: Int64)
    {
        let least = Duration.milliseconds(5)
        let interval = uplink.map { max($0.time(forBytes: 170) / 0.27, least) } ?? least
        return try connection.compare(Self.exchanges, every: interval)
    }

    /// Sends what the peer has to get before it may send as much, and leaves out what that does not allow.
    private func allow(
        _ phase: inout ProbePhase,
        _ rate: BitRate,
        _ connection: PeerConnection,
        _ progress: (() -> Void)?
    ) throws(ProbeError) -> [String] {
        guard let traffic = phase.flows[.downlink] else { return [] }
        let each = traffic.payload + ReflectorSession.headers
        // Answers to questions, too.
        let wanted = Int64(traffic.packets * (each + 16) + 20_000)
        var credit = try compare(connection).credit
        let payload = ReflectionPacket.mostLength
        let gap = max((uplink ?? Self.usualRate).time(forBytes: Double(payload + 42)).nanoseconds * 11 / 10, 1_000)
        let end = lc_monotonic_time() + Self.fillingTime
        while credit < wanted, lc_monotonic_time() < end {
            let packets = min(Int((wanted - credit) / Int64(payload)) + 1, max(Int(1_000_000_000 / gap), 1))
            var pace = PacedSends(
                ProbeTraffic(packets: packets, interval: .nanoseconds(gap), payload: payload),
                start: lc_wall_time()
            )
            while pace.next != .max {
                for number in pace.take(lc_wall_time()) {
                    try connection.send(.fill, phase: 0, number, length: payload)
                }
                if pace.next != .max { connection.wait(pace.next - lc_wall_time()) }
            }
            progress?()
            credit = try compare(connection).credit
        }
        var packets = traffic.packets
        if credit < wanted { packets = Int(max(credit - 20_000, 0)) / (each + 16) }
        phase.flows[.downlink] =
            packets == 0
            ? nil
            : ProbeTraffic(
                packets: packets,
                interval: traffic.interval,
                payload: traffic.payload,
                group: traffic.group
            )
        let load = Double(traffic.group * (traffic.payload + 42) * 8) * 1e9 / Double(traffic.interval.nanoseconds)
        if load > Double(rate.bitsPerSecond) {
            return ["downlink (\(phase.kind.rawValue)): the peer sends at most \(rate), by its --rate"]
        }
        guard packets < traffic.packets else { return [] }
        return [
            "downlink (\(phase.kind.rawValue)): \(packets) packets of \(traffic.packets), since the peer sends no more than it gets"
        ]
    }

    // MARK: A phase

    /// What was written down, each time by the clock of its side.
    fileprivate struct RawPhase {
        let phase: ProbePhase
        var pace: PacedSends?
        var arrivals: [FlowLog.Entry] = []
        var peerSends: [FlowLog.Entry] = []
        var answers: [(number: Int, time: Int64)] = []
    }

    private static func measure(
        _ phase: ProbePhase,
        _ number: UInt8,
        _ connection: PeerConnection,
        _ progress: (() -> Void)?
    ) throws(ProbeError) -> RawPhase {
        var raw = RawPhase(phase: phase)
        let (up, down) = (phase.flows[.uplink], phase.flows[.downlink])
        let pause = Duration.milliseconds(100)
        try connection.begin(number, PhaseRequest(arriving: up?.packets ?? 0, answer: down, pause: pause))
        let start = lc_wall_time() + 1_000_000
        raw.pace = up.map { PacedSends($0, start: start) }
        let length = max(up?.duration ?? .zero, down.map { $0.duration + pause } ?? .zero) + phase.patience
        // What the answer to the request took, a packet takes, too: at most a second more.
        let end = start + (length + .seconds(1)).nanoseconds
        var shown = start
        var clock = ClockWatch()
        while true {
            try clock.look()
            let now = lc_wall_time()
            if let next = raw.pace?.next, next <= now, let packets = raw.pace?.take(now) {
                for packet in packets { try connection.send(.up, phase: number, packet, length: up?.payload ?? 0) }
            }
            while let answer = try connection.receive(number) { raw.answers.append(answer) }
            if now >= end { break }
            if let progress, now - shown > 200_000_000 {
                shown = now
                progress()
            }
            connection.wait(min(raw.pace?.next ?? .max, end, now + 100_000_000) - lc_wall_time())
        }
        raw.arrivals = try connection.log(number, sends: false)
        raw.peerSends = try connection.log(number, sends: true)
        return raw
    }
}

extension PeerProbe.RawPhase {
    /// All by the clock of this side.
    fileprivate func record(_ clock: ClockComparison) -> PhaseRecord {
        var record = PhaseRecord()
        if let traffic = phase.flows[.uplink], let pace {
            record.flows[.uplink] = FlowRecord(
                frameBytes: traffic.frameBytes(isIPv6: phase.isIPv6),
                sends: pace.sent,
                arrivals: arrivals.filter { pace.sent.indices.contains($0.packet) }
                    .map { FlowRecord.Arrival(packet: $0.packet, time: clock.ours($0.time)) }
            )
            record.lateness += pace.lateness.map { Double($0) / 1e6 }
        }
        if let traffic = phase.flows[.downlink] {
            // The peer leaves out what it may not send.
            let places = Dictionary(
                peerSends.enumerated().map { ($1.packet, $0) },
                uniquingKeysWith: { first, _ in first }
            )
            record.flows[.downlink] = FlowRecord(
                frameBytes: traffic.frameBytes(isIPv6: phase.isIPv6),
                sends: peerSends.map { clock.ours($0.time) },
                arrivals: answers.compactMap { answer in
                    places[answer.number].map { FlowRecord.Arrival(packet: $0, time: answer.time) }
                }
            )
        }
        return record
    }
}
