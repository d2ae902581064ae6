// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Statistics

/// The judged measurements of a link: one part for each lane and kind of packets.
package struct Verification: Sendable {
    /// The judged packets of one phase in one lane.
    package struct Part: Sendable {
        package let kind: ProbePhase.Kind
        package let lane: Lane
        package var findings: [LinkFinding]
        /// The number of packets sent, or of connections opened.
        package let count: Int
        /// The fates of the packets; nil if only round trips were measured.
        package let record: FlowRecord?
        /// The fates of the same packets in one run of the model.
        package let model: FlowRecord?
    }

    package private(set) var parts: [Part] = []
    /// How much later than usual the machine woke the probe, in milliseconds: the 99th percentile and the maximum.
    package private(set) var lateness = (tail: 0.0, maximum: 0.0)
    /// The median delay of each direction without conditions, in milliseconds.
    package private(set) var unconditionedDelays: [Direction: Double] = [:]

    /// The time that a hypervisor gave to other machines during the measurement (steal time).
    package var stolen = Duration.zero

    /// The probability with which a correct link may fail one statistical aspect of one measurement. A failed phase is
    /// measured again, and an aspect fails only if it fails both times.
    static let error = 0.001

    let profile: Profile
    let traces: [TraceReference: Trace]
    /// The path to the measured machine; nil for a network on this machine.
    package var path: PeerPath?
    /// For each direction, the delay of the path itself or the difference of the clocks, in milliseconds; empty if
    /// neither is known.
    var pathDelays: [Direction: Double] = [:]
    /// How often the engine has to be woken for one packet.
    package var wakes = 2

    package init(_ profile: Profile, traces: [TraceReference: Trace] = [:]) {
        (self.profile, self.traces) = (profile, traces)
    }

    /// Fails if one finding fails; else inconclusive if one is, or if there are none.
    package var verdict: LinkFinding.Verdict {
        let verdicts = parts.flatMap(\.findings).map(\.verdict)
        return verdicts.contains(.fail)
            ? .fail : verdicts.contains(.inconclusive) || verdicts.isEmpty ? .inconclusive : .pass
    }

    /// Returns the phases with a finding that does not pass.
    package func failures(of phases: [ProbePhase]) -> [ProbePhase] {
        phases.filter { phase in
            parts.contains { part in
                part.kind == phase.kind && phase.lanes.contains(part.lane)
                    && part.findings.contains { $0.verdict != .pass }
            }
        }
    }

    /// Records the delays that were measured without conditions.
    package mutating func add(idle record: PhaseRecord) {
        unconditionedDelays = record.flows.mapValues { $0.delays.isEmpty ? 0 : $0.delays.median }
        note(record)
    }

    /// Judges a phase. A repeated measurement replaces only the findings that did not pass before.
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
            let own = unconditionedDelays[measured.direction] ?? 0
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

    /// The packets of one direction of a phase, with their judge.
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
        // A finding that failed by chance will hardly fail twice.
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

    /// The bytes of the frame of a SYN or SYN-ACK with the TCP options that Linux uses.
    static let handshakeFrame = 74

    /// Judges the round trips of TCP handshakes.
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
        // The gateway first opens a connection itself, which takes time.
        if phase.isOverUplink { reach += 1 }
        if sums.count > 1 {
            let limit = StudentDistribution(degreesOfFreedom: sums.count - 1).limit(error: Self.error)
            reach += limit * (sums.variance * (1 + 1 / Double(sums.count))).squareRoot()
        }
        let own = unconditionedDelays.values.reduce(0, +)
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
    /// Makes a part of round trips.
    fileprivate init(_ findings: [LinkFinding], _ count: Int) {
        self.init(kind: .tcp, lane: .uplink, findings: findings, count: count, record: nil, model: nil)
    }
}
