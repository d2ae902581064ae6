// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The packets that show whether a link has the conditions of a profile: as many as its figures need, or as the time
/// allows.
package struct VerificationPlan: Sendable {
    package internal(set) var phases: [ProbePhase] = []
    /// Descriptions of what the time did not suffice for.
    package internal(set) var shortfalls: [String] = []

    let profile: Profile
    let traces: [TraceReference: Trace]

    /// The phase that measures the delay of both directions without conditions.
    package static let idle = ProbePhase(
        .idle,
        [.uplink: control, .downlink: control]
    )
    private static let control = ProbeTraffic(packets: 200, interval: .milliseconds(5), payload: 100)
    /// The shortest interval between packets of a light load: the machine must be in time for each.
    private static let minimumInterval = Duration.milliseconds(1)
    /// Above this number of packets, they are sent at the shortest interval.
    private static let manyPackets = 5_000
    /// The load of a light phase, as a share of the rate.
    private static let lightLoad = 0.27
    /// Bits per second up to which both directions are filled at the same time.
    private static let sharedRate: UInt64 = 50_000_000
    /// The payload of a light datagram in bytes, all of which is checked for damage.
    private static let lightPayload = 100

    /// Plans packets for the lanes of `profile`.
    ///
    /// - Parameter uplink: the measurements that run over an uplink.
    package init(
        _ profile: Profile,
        traces: [TraceReference: Trace] = [:],
        budget: Duration,
        uplink: UplinkShare = .nothing
    ) {
        (self.profile, self.traces) = (profile, traces)
        // Subtracts the start-up and the measurement without conditions.
        var time = max(budget - .seconds(3), .seconds(2))
        if uplink != .nothing { addTransfers(within: time * 0.3) }
        let transfers = phases
        let spent = transfers.reduce(Duration.zero) { $0 + $1.time }
        time = max(time - spent, .seconds(2))
        phases = []
        addTraffic(within: time, budget - spent)
        phases += transfers
        if uplink == .all { phases = phases.map(\.overUplink) }
        // On a very slow link, even the fewest packets exceed the budget.
        if duration > budget * 1.1 {
            shortfalls.append("on so slow a link, this takes about \(duration.whole.text)")
        }
    }

    /// Which measurements run over an uplink, to a host outside the private network.
    package enum UplinkShare: Sendable { case nothing, transfers, all }

    private mutating func addTraffic(within time: Duration, _ budget: Duration) {
        let changes = Direction.allCases.contains { course($0) != nil }
        addFull(within: time * (changes ? 0.5 : 0.3))
        addSuperPackets(within: time * 0.1)
        addOthers(within: time * 0.15)
        let others = phases.reduce(Duration.zero) { $0 + $1.duration + arrivalTimeout($1) - $1.arrivalTimeout }
        addLight(within: max(time - others - .seconds(1), time * 0.2), others: budget - time + others)
        phases = phases.map { phase in
            var phase = phase
            phase.arrivalTimeout = arrivalTimeout(phase)
            return phase
        }
    }

    /// How long the measurements take if nothing is lost.
    package var duration: Duration { phases.reduce(.seconds(3)) { $0 + $1.duration } }

    private func figures(_ lane: Lane) -> Impairments { profile.impairments(of: lane) ?? Impairments() }

    private func figures(_ direction: Direction) -> Impairments {
        figures(direction == .uplink ? Lane.uplink : .downlink)
    }

    /// The rates that a direction has in turn; for a recording, its mean rate.
    private func rates(_ direction: Direction) -> [BitRate] {
        let figures = figures(direction)
        if let trace = figures.trace { return [traces[trace]?.meanRate].compactMap { $0 }.filter { !$0.isZero } }
        let steps = (profile.schedule?.steps ?? []).compactMap { step in
            direction == .uplink ? step.uplink?.rate : step.downlink?.rate
        }
        return ([figures.rate].compactMap { $0 } + steps).filter { !$0.isZero }
    }

    /// The lowest of the direction's rates.
    private func rate(_ direction: Direction) -> BitRate? { rates(direction).min() }

    /// How long it takes until a direction has shown all its changes over time; nil if it does not change.
    private func course(_ direction: Direction) -> Duration? {
        if let trace = figures(direction).trace { return traces[trace]?.length }
        guard let schedule = profile.schedule, let last = schedule.steps.last else { return nil }
        return schedule.repeat ?? last.at + .seconds(5)
    }

    // MARK: A light load

    private mutating func addLight(within time: Duration, others: Duration) {
        var phase = ProbePhase(.light)
        var enough = Duration.zero
        for direction in [Direction.downlink, .uplink] {
            let figures = figures(direction)
            var needed = Self.packets(for: figures)
            let gap = gap(direction, needed)
            if let course = course(direction) { needed = max(needed, Int(min(course / gap, 40_000))) }
            let possible = max(Int(time / gap), 10)
            if possible < needed {
                enough = max(enough, others + gap * needed + .seconds(3))
                shortfalls.append("\(direction.rawValue): \(possible) packets, of \(needed) that its figures need")
            }
            phase.flows[direction] = ProbeTraffic(
                packets: min(needed, possible),
                interval: gap,
                payload: Self.lightPayload
            )
            if let corrupt = figures.corrupt, corrupt > .zero { phase.showsDamage = true }
            if figures.ecn == true { phase.isECNCapable = true }
        }
        let seconds = Int((enough / .seconds(1)).rounded(.up))
        if seconds > 0 { shortfalls.append("for all of them: --budget \(seconds)s") }
        phases.insert(phase, at: 0)
    }

    /// The interval between packets of a light load.
    private func gap(_ direction: Direction, _ packets: Int) -> Duration {
        let frame = Self.lightPayload + ProbeTraffic.headerBytes
        let wire = figures(direction).overhead?.wireBytes(ofFrame: frame) ?? frame
        let minimum = packets > Self.manyPackets ? Self.minimumInterval : Self.minimumInterval * 2
        return rate(direction).map { max($0.time(forBytes: Double(wire)) / Self.lightLoad, minimum) } ?? minimum
    }

    /// The number of packets needed to distinguish a figure from half of it and from zero, or the shape of one jitter
    /// from another.
    private static func packets(for figures: Impairments) -> Int {
        var needed = 200
        func need(_ share: Double?, events: Double) {
            if let share, share > 0 { needed = max(needed, Int(min(events / share, 40_000))) }
        }
        switch figures.loss {
        case .random(let share): need(share.fraction, events: 150)
        case .limited(let bursts): need(bursts.chance.fraction, events: 150)
        // Bursts scatter more than single losses.
        case .gilbertElliott(let chain): need(chain.p.fraction, events: 200)
        case .fourState(let chain): need(chain.p13.fraction, events: 200)
        case nil: break
        }
        need(figures.duplicate?.fraction, events: 150)
        need(figures.corrupt?.fraction, events: 150)
        need(figures.reorder?.probability.fraction, events: 150)
        if figures.jitter != nil { needed = max(needed, 5_000) }
        return needed
    }

    // MARK: A full link

    private mutating func addFull(within time: Duration) {
        let rates = [Direction.downlink, .uplink].compactMap { direction in
            self.rates(direction).max().map { (direction, $0) }
        }
        guard !rates.isEmpty else { return }
        let isFast = rates.contains { $0.1.bitsPerSecond > Self.sharedRate }
        let groups = isFast ? rates.map { [$0] } : [rates]
        for group in groups {
            var phase = ProbePhase(.full)
            for (direction, rate) in group {
                let traffic = filling(rate, figures(direction), course(direction), within: time / groups.count)
                phase.flows[direction] = traffic
                if let course = course(direction), traffic.duration < course * 0.9 {
                    shortfalls.append(
                        "\(direction.rawValue): what it does in \(course.text) is seen for \(traffic.duration.whole.text)"
                    )
                }
            }
            phases.append(phase)
        }
    }

    /// Plans more traffic than the rate carries, for long enough that the queue is full for a while.
    private func filling(
        _ rate: BitRate,
        _ figures: Impairments,
        _ course: Duration?,
        within time: Duration
    ) -> ProbeTraffic {
        // The payload for a hundred packets per second, or the largest payload.
        let bytes = rate.bytes(in: .milliseconds(10))
        let payload = min(max(Int(bytes) - ProbeTraffic.headerBytes, Self.lightPayload), 1_472)
        let frame = payload + ProbeTraffic.headerBytes
        let queue = Self.queueingTime(figures, rate, frameBytes: frame)
        let minimum = max(min(course ?? .zero, time), .seconds(3))
        var load = 4.0 / 3
        var length = max(queue * 1.3 / (load - 1), minimum)
        if length > max(time, minimum) {
            length = max(time, minimum)
            load = min(1 + queue * 1.3 / length, 8)
        }
        // Packets are lost before they come to the bottleneck.
        load /= max(1 - (figures.loss?.meanLoss ?? 0), Self.leastPassing)
        // Packets at shorter intervals than the machine can be woken are sent in groups.
        let packet = rate.time(forBytes: Double(frame)) / load
        let group = min(max(Int((.microseconds(500) / packet).rounded(.up)), 1), 40)
        return ProbeTraffic(filling: rate, load, for: length, payload: payload, group: group)
    }

    /// The smallest share of packets that a loss model lets pass for which more are sent, so that the rest fills the link.
    private static let leastPassing = 0.1

    /// The time that a packet waits in a full queue: how long the queue takes to drain.
    private static func queueingTime(_ figures: Impairments, _ rate: BitRate, frameBytes: Int) -> Duration {
        switch figures.queue ?? .default(atRate: rate, overhead: figures.overhead) {
        case .time(let time): time
        case .bytes(let bytes): rate.time(forBytes: Double(bytes))
        case .packets(let packets): rate.time(forBytes: Double(packets) * Double(frameBytes))
        }
    }

    // MARK: Super-packets

    /// Together longer than an Ethernet frame: tbf does not split a shorter super-packet, so that netem loses it as a
    /// whole.
    private static let superPacket = (datagrams: 4, payload: 400)
    /// The expected number of lost datagrams that shows whether they are lost one by one, and the fewest that do.
    private static let superPacketLosses = (usual: 40.0, minimum: 8.0)

    /// Adds super-packets for each direction that loses packets and whose queue has room for two of them.
    private mutating func addSuperPackets(within time: Duration) {
        var phase = ProbePhase(.superPackets)
        for direction in Direction.allCases {
            let figures = figures(direction)
            guard let share = figures.loss?.meanLoss, share > 0, share < 1 else { continue }
            var interval = Self.minimumInterval
            if let rate = rate(direction) {
                let frame = Self.superPacket.payload + ProbeTraffic.headerBytes
                let time = rate.time(forBytes: Double(frame * Self.superPacket.datagrams))
                guard Self.queueingTime(figures, rate, frameBytes: frame) >= time * 2 else { continue }
                interval = max(time / Self.lightLoad, interval)
            }
            let needed = Int(min(Self.superPacketLosses.usual / share, 40_000))
            let packets = min(needed, Int(time / interval) * Self.superPacket.datagrams)
            guard Double(packets) * share > Self.superPacketLosses.minimum else {
                shortfalls.append("\(direction.rawValue): too few packets to see how super-packets are lost")
                continue
            }
            phase.flows[direction] = ProbeTraffic(
                packets: packets,
                interval: interval,
                payload: Self.superPacket.payload,
                group: Self.superPacket.datagrams
            )
        }
        if !phase.flows.isEmpty { phases.append(phase) }
    }

    // MARK: Other packets

    private mutating func addOthers(within time: Duration) {
        let share = time / 3
        func few(_ direction: Direction) -> ProbeTraffic {
            let gap = gap(direction, 0)
            return ProbeTraffic(packets: min(max(Int(share / gap), 5), 200), interval: gap, payload: Self.lightPayload)
        }
        var ipv6 = ProbePhase(.ipv6)
        for direction in Direction.allCases { ipv6.flows[direction] = few(direction) }
        phases.append(ipv6)
        if profile.dns != nil {
            var dns = ProbePhase(.dns)
            dns.flows[.uplink] = few(.uplink)
            phases.append(dns)
        }
        let losses = Direction.allCases.map { figures($0).lostOrDamaged }
        // With many losses, the time of a handshake depends on the kernel's retransmission timer.
        if losses.allSatisfy({ $0 < 0.1 }), profile.schedule == nil {
            var tcp = ProbePhase(.tcp)
            let trip = Direction.allCases.reduce(Duration.zero) { sum, direction in
                sum + (figures(direction).delay ?? .zero) + (rate(direction)?.time(forBytes: 74) ?? .zero)
            }
            let each = trip * 3 + .milliseconds(20)
            tcp.connections = min(max(Int(share / each), 5), 40)
            tcp.time = each * tcp.connections
            phases.append(tcp)
        }
    }

    /// How long to wait for the last packet: its delay in the model, and a margin for the machine.
    private func arrivalTimeout(_ phase: ProbePhase) -> Duration {
        let slowest = phase.flows.map { direction, traffic -> Int64 in
            let model = LaneModel(profile, phase.lane(direction), traces: traces)
            let sends = traffic.sends
            let record = model.record(of: sends, frameBytes: traffic.frameBytes(isIPv6: phase.isIPv6), seed: 1)
            return (record.arrivals.map(\.time).max() ?? 0) - (sends.last ?? 0)
        }
        return .nanoseconds(max(slowest.max() ?? 0, 0)) + .milliseconds(700)
    }
}

extension Duration {
    fileprivate var whole: Duration { .seconds(Int((self / .seconds(1)).rounded(.up))) }
}
