// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
package import LinkVerification

/// Exchanges the packets of phases with a reflector on another machine, and measures each direction separately.
package struct PeerProbe {
    private let peer: PeerAddress
    private let device: String?
    private let key: ReflectionKey
    private let bootID: String
    /// The rate of the uplink; nil if it is unlimited.
    private let uplink: BitRate?

    /// The measurements of all phases.
    package struct Result {
        package var phases: [PhaseRecord] = []
        package var clock: ClockComparison
        /// Descriptions of packets that could not be sent.
        package var shortfalls: [String] = []
    }

    /// - Parameter uplink: the rate of the link to the peer, which earning credit does not exceed; nil if it is
    ///   unlimited.
    package init(_ peer: PeerAddress, device: String?, _ key: ReflectionKey, bootID: String, uplink: BitRate?) {
        (self.peer, self.device, self.key, self.bootID, self.uplink) = (peer, device, key, bootID, uplink)
    }

    /// The path MTU to the peer, as far as the kernel knows it; nil if it is unknown.
    package var pathMTU: Int? {
        guard let socket = try? DatagramSocket(isIPv6: peer.isIPv6) else { return nil }
        if let device, (try? socket.bind(toDevice: device)) == nil { return nil }
        return (try? socket.connect(peer)).flatMap { socket.pathMTU(isIPv6: peer.isIPv6) }
    }

    /// The number of time stamps in one comparison of the clocks.
    private static let exchanges = 20

    /// Measures the phases one after the other, and compares the clocks before each and after the last.
    ///
    /// - Parameter progress: called several times a second.
    package func run(_ phases: [ProbePhase], progress: (() -> Void)?) throws(ProbeError) -> Result {
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        let connection = try PeerConnection(peer, device: device, key)
        let known = try connection.open(bootID: bootID)
        defer { connection.close() }
        var times: [[ClockExchange]] = []
        var (raw, shortfalls): ([RawPhase], [String]) = ([], [])
        for (index, phase) in phases.enumerated() {
            var phase = phase
            let first = try compare(connection)
            times.append(first.exchanges)
            if let traffic = phase.flows[.downlink] {
                let credit = PeerCredit(traffic, uplink: uplink)
                let balance = try credit.earn(connection, from: first.credit) { () throws(ProbeError) in
                    progress?()
                    return try compare(connection).credit
                }
                let kind = phase.kind.rawValue
                phase.flows[.downlink] = credit.affordable(balance)
                if let words = credit.shortfall(balance, known.rate) {
                    shortfalls.append("downlink (\(kind)): \(words)")
                }
            }
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
        let minimum = Duration.milliseconds(5)
        let interval = uplink.map { max($0.time(forBytes: 170) / 0.27, minimum) } ?? minimum
        return try connection.compare(Self.exchanges, every: interval)
    }

    // MARK: A phase

    /// The times of a phase, each by the clock of the machine that recorded it.
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
        let length = max(up?.duration ?? .zero, down.map { $0.duration + pause } ?? .zero) + phase.arrivalTimeout
        // A packet may take as long as the reply to the request did, at most one second longer.
        let end = start + (length + .seconds(1)).nanoseconds
        var shown = start
        var clock = ClockWatch()
        while true {
            try clock.look()
            let now = lc_wall_time()
            if let next = raw.pace?.next, next <= now, let packets = raw.pace?.dequeue(now) {
                try connection.send(.up, phase: number, packets, length: up?.payload ?? 0)
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
    /// Converts the times to the clock of this machine.
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
            // The peer skips packets for which it has no credit, so the arrivals are numbered by the packets that it
            // did send.
            let indices = Dictionary(
                peerSends.enumerated().map { ($1.packet, $0) },
                uniquingKeysWith: { first, _ in first }
            )
            record.flows[.downlink] = FlowRecord(
                frameBytes: traffic.frameBytes(isIPv6: phase.isIPv6),
                sends: peerSends.map { clock.ours($0.time) },
                arrivals: answers.compactMap { answer in
                    indices[answer.number].map { FlowRecord.Arrival(packet: $0, time: answer.time) }
                }
            )
        }
        return record
    }
}
