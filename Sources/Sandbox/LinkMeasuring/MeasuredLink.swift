// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProbes
package import LinkVerification
internal import LinuxSystem
internal import Sandboxing

/// A link to measure: a sandbox's, the one of this process's network, or the link to another machine.
package struct MeasuredLink {
    package enum Kind {
        /// A sandbox that is made, or the network of this process.
        case sandbox(LinkMeasurement)
        /// The link to another machine, with the round trip of the path without conditions in milliseconds; nil if unknown.
        case peer(PeerMeasurement, ownRoundTrip: Double?)
    }

    private let kind: Kind
    private let listener: MeasurementListener
    /// The notes that were passed on: each is passed on once.
    private let notes = Notes()
    /// The engine that carried the packets; nil if unknown.
    package private(set) var engine: Engine?
    /// Whether this process has left the machine's network for the private one that an uplink leads to.
    private var isInOutsideNetwork = false

    package init(_ kind: Kind, _ listener: MeasurementListener) { (self.kind, self.listener) = (kind, listener) }

    /// Measures the phases of a plan that can be measured on this link: those on the loopback first, then those over an
    /// uplink. Phases with a figure outside of its bounds are measured a second time. To measure over an uplink, this
    /// process moves to another network, and stays there.
    ///
    /// - Parameter needsUplink: whether to throw if nothing can be measured over an uplink; otherwise the measurements
    ///   without an uplink count.
    package mutating func verify(
        _ plan: VerificationPlan,
        into verification: inout Verification,
        needsUplink: Bool
    ) throws {
        let phases = phases(of: plan)
        for words in plan.shortfalls { listener.note(ConditioningNote(words)) }
        for part in [phases.filter { !$0.isOverUplink }, phases.filter(\.isOverUplink)] where !part.isEmpty {
            do {
                try measure(part, isAgain: false, into: &verification)
                let failed = verification.failures(of: part)
                if !failed.isEmpty { try measure(failed, isAgain: true, into: &verification) }
            } catch {
                guard !needsUplink, part.contains(where: \.isOverUplink) else { throw error }
                listener.note(ConditioningNote("nothing more is measured over an uplink: \(error)"))
            }
        }
    }

    private func phases(of plan: VerificationPlan) -> [ProbePhase] {
        switch kind {
        case .sandbox: plan.phases
        case .peer(let measurement, _): measurement.phases(of: plan)
        }
    }

    /// Measures and judges phases, which must be all on the loopback, or all over an uplink.
    private mutating func measure(
        _ phases: [ProbePhase],
        isAgain: Bool,
        into verification: inout Verification
    ) throws {
        listener.started(phases, isAgain)
        defer { listener.ended() }
        let note = { [notes, listener] (note: ConditioningNote) in
            if notes.insert(note) { listener.note(note) }
        }
        let before = ProcessorTimes.now?.stolen
        let records: [PhaseRecord]
        switch kind {
        case .sandbox(var measurement):
            measurement.isOverUplink = phases.contains { $0.isOverUplink }
            if measurement.isOverUplink { try enterOutsideNetwork() }
            let result = try measurement.run(phases, note: note, progress: listener.progress)
            engine = result.engine
            verification.wakes = (result.engine == .netem ? 1 : 2) + (measurement.isOverUplink ? 1 : 0)
            verification.add(idle: result.idle)
            records = result.phases
        case .peer(let measurement, let ownRoundTrip):
            let result = try measurement.run(phases, progress: listener.progress)
            for words in result.shortfalls { note(ConditioningNote(words)) }
            verification.path = PeerPath(clockError: result.clock.error / 1e6, ownRoundTrip: ownRoundTrip)
            records = result.phases
        }
        if let before, let after = ProcessorTimes.now?.stolen { verification.stolen += after - before }
        for (phase, record) in zip(phases, records) { verification.add(record, of: phase) }
    }

    private mutating func enterOutsideNetwork() throws {
        guard !isInOutsideNetwork else { return }
        isInOutsideNetwork = true
        try OutsideHost.enter(ipv4: ProbeHost.ipv4, ipv6: ProbeHost.ipv6)
    }

    private final class Notes {
        private var known: Set<ConditioningNote> = []

        func insert(_ note: ConditioningNote) -> Bool { known.insert(note).inserted }
    }
}
