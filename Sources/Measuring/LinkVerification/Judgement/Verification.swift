// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Statistics

/// The measurements of a link, compared with the model: a part for each lane and kind of packets.
package struct Verification: Sendable {
    /// The packets of one phase in one lane.
    package struct Part: Sendable {
        package let kind: ProbePhase.Kind
        package let lane: Lane
        package var findings: [LinkFinding]
        /// The number of packets that were sent, or connections opened.
        package let count: Int
        /// The fates of the packets; nil if only round trips are measured.
        package let record: FlowRecord?
        /// The fates of the same packets on a correct link.
        package let model: FlowRecord?
    }

    package private(set) var parts: [Part] = []
    /// How much later than usual the machine woke the probe, in milliseconds: the 99th percentile, and the most.
    package private(set) var lateness = (tail: 0.0, maximum: 0.0)
    /// The delay of packets without conditions: the median, in milliseconds.
    package private(set) var ownDelays: [Direction: Double] = [:]

    /// The time in which a hypervisor ran other machines while the link was measured.
    package var stolen = Duration.zero

    /// The chance with which a right link may fail a figure that chance decides about, in one measurement. One that fails is
    /// measured again, and fails once both have.
    static let error = 0.001

    let profile: Profile
    let traces: [TraceReference: Trace]
    /// The way to another machine that is measured; nil for a network of this one.
    package var path: PeerPath?
    /// The delay of the path itself, or the difference of the clocks, in each direction, as far as one of both is
    /// known: milliseconds.
    var pathDelays: [Direction: Double] = [:]
    /// How often the engine has to be woken for a packet.
    package var wakes = 2

    package init(_ profile: Profile, traces: [TraceReference: Trace] = [:]) {
        (self.profile, self.traces) = (profile, traces)
    }

    /// Any figure that is wrong makes the link wrong; one that this machine cannot tell leaves it open.
    package var verdict: LinkFinding.Verdict {
        let verdicts = parts.flatMap(\.findings).map(\.verdict)
        return verdicts.contains(.fail)
            ? .fail : verdicts.contains(.inconclusive) || verdicts.isEmpty ? .inconclusive : .pass
    }

    /// The phases in which a figure is not as it should be.
    package func failures(of phases: [ProbePhase]) -> [ProbePhase] {
        phases.filter { phase in
            parts.contains { part in
                part.kind == phase.kind && phase.lanes.contains(part.lane)
                    && part.findings.contains { $0.verdict != .pass }
            }
        }
    }

    /// Judges what was measured without conditions.
    package mutating func add(idle record: PhaseRecord) {
        ownDelays = record.flows.mapValues { $0.delays.isEmpty ? 0 : $0.delays.median }
        note(record)
    }

    /// Judges a phase. One that is measured again counts only for what was not as it should be.
    package mutating func add(_ record: PhaseRecord, of phase: ProbePhase) {
        note(record)
        if phase.kind == .tcp { return add(Part(roundTrips(record, phase), phase.connections)) }
        guard phase.transfers.isEmpty else { return addTransfers(record, of: phase) }
        var lanes: [MeasuredLane] = []
        for (direction, flow) in record.flows.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let traffic = phase.flows[direction] else { continue }
            let lane = phase.lane(direction)
            let sent = LaneJudge.Sent(
                flow.sends,
                frameBytes: traffic.frameBytes(isIPv6: phase.isIPv6),
                start: record.start,
                isECNCapable: phase.isECNCapable,
                losesDamaged: !phase.showsDamage
            )
            let judge = LaneJudge(LaneModel(profile, lane, traces: traces), sent, error: Self.error)
            lanes.append(MeasuredLane(direction: direction, lane: lane, judge: judge, flow: flow))
        }
        let isDivided = path.map { divide(&lanes, of: phase, $0) } ?? true
        for measured in lanes {
            let own = ownDelays[measured.direction] ?? 0
            let machine = MachineNoise(ownDelay: own, lateness: record.unusualLateness, wakes: wakes)
            let aspects = phase.aspects(profile.impairments(of: measured.lane) ?? Impairments())
            add(
                Part(
                    kind: phase.kind,
                    lane: measured.lane,
                    findings: measured.judge.findings(
                        aspects.filter { isDivided || $0 != .medianDelay },
                        on: measured.flow,
                        machine
                    ),
                    count: measured.flow.sends.count,
                    record: measured.flow,
                    model: measured.judge.models.first
                )
            )
        }
    }

    /// One direction's packets of a phase.
    struct MeasuredLane {
        let direction: Direction
        let lane: Lane
        let judge: LaneJudge
        var flow: FlowRecord
    }

    mutating func add(_ part: Part) {
        guard let index = parts.firstIndex(where: { $0.kind == part.kind && $0.lane == part.lane }) else {
            return parts.append(part)
        }
        // Where chance had it, it will hardly have it twice.
        let wrong = Set(parts[index].findings.filter { $0.verdict != .pass }.map(\.aspect))
        parts[index].findings = parts[index].findings.map { finding in
            guard wrong.contains(finding.aspect) else { return finding }
            return part.findings.first { $0.aspect == finding.aspect } ?? finding
        }
    }

    private mutating func note(_ record: PhaseRecord) {
        let late = record.unusualLateness
        guard !late.isEmpty else { return }
        lateness.tail = max(lateness.tail, late.quantile(0.99))
        lateness.maximum = max(lateness.maximum, late.max() ?? 0)
    }

    /// The frame of a SYN and of its answer, with the options of Linux.
    static let handshakeFrame = 74

    /// The round trips of the packets that open a connection.
    private func roundTrips(_ record: PhaseRecord, _ phase: ProbePhase) -> [LinkFinding] {
        guard !record.roundTrips.isEmpty else {
            let lost = Double(phase.connections)
            return [LinkFinding(.losses, modelled: 0, measured: lost, allowed: 0...0)]
        }
        let sends = (0..<record.roundTrips.count).map { Int64($0) * 10_000_000_000 }
        let directions: [Lane] = [.uplink, .downlink]
        let models = directions.map { LaneModel(profile, $0, traces: traces) }
        let sums = (1_000..<(models.contains(where: \.isRandom) ? 1_012 : 1_001)).compactMap { seed -> Double? in
            let delays = models.map { $0.record(of: sends, frameBytes: Self.handshakeFrame, seed: UInt64(seed)).delays }
            guard delays.allSatisfy({ !$0.isEmpty }) else { return nil }
            return delays.reduce(0) { $0 + $1.median }
        }
        guard !sums.isEmpty else { return [] }
        let mean = sums.mean
        var reach = max(2 * Tolerances().delay(mean / 2), 0.4)
        // The gateway opens a connection of its own first.
        if phase.isOverUplink { reach += 1 }
        if sums.count > 1 {
            let limit = StudentDistribution(degreesOfFreedom: sums.count - 1).limit(error: Self.error)
            reach += limit * (sums.variance * (1 + 1 / Double(sums.count))).squareRoot()
        }
        let own = ownDelays.values.reduce(0, +)
        return [
            LinkFinding(
                .roundTrip,
                modelled: mean,
                measured: record.roundTrips.median - own,
                allowed: mean - reach...mean + reach,
                excusable: mean - reach - own...mean + reach + 4 * lateness.tail
            )
        ]
    }
}

extension Verification.Part {
    /// Round trips.
    fileprivate init(_ findings: [LinkFinding], _ count: Int) {
        self.init(kind: .tcp, lane: .uplink, findings: findings, count: count, record: nil, model: nil)
    }
}
