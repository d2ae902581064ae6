// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProbes
import LinkVerification
import LinuxSystem
import Sandboxing

/// A link of one of the kinds that are measured, and what is told of it meanwhile.
struct MeasuredLink {
    enum Kind {
        /// One that is made, or that of the network that this process is in.
        case sandbox(LinkMeasurement)
        /// The one to another machine, with the round trip of the path without conditions in milliseconds; nil if unknown.
        case peer(PeerMeasurement, ownRoundTrip: Double?)
    }

    private let kind: Kind
    /// What was said once is not said again.
    private let notes = Notes()
    /// What carried the packets; nil if unknown.
    private(set) var engine: Engine?
    /// Whether this process has left the machine's network for the one that an uplink leads to.
    private var isInOutsideNetwork = false

    init(_ kind: Kind) { self.kind = kind }

    /// Those of a plan that can be measured of it.
    func phases(of plan: VerificationPlan) -> [ProbePhase] {
        switch kind {
        case .sandbox: plan.phases
        case .peer(let measurement, _): measurement.phases(of: plan)
        }
    }

    /// Measures phases, and judges them: all on the loopback, or all over an uplink. After the latter, this process is in another
    /// network.
    mutating func measure(_ phases: [ProbePhase], _ title: String, into verification: inout Verification) throws {
        let display = VerificationDisplay(title, phases)
        defer { display.erase() }
        let note = { [notes] (text: String) in
            guard notes.insert(text) else { return }
            display.erase()
            Console.failure("note: \(text)")
        }
        let progress = VerificationDisplay.isShown ? { display.draw() } : nil
        let before = ProcessorTimes.now?.stolen
        let records: [PhaseRecord]
        switch kind {
        case .sandbox(var measurement):
            measurement.isOverUplink = phases.contains { $0.isOverUplink }
            if measurement.isOverUplink { try enterOutsideNetwork() }
            let result = try measurement.run(phases, note: note, progress: progress)
            engine = result.engine
            verification.wakes = (result.engine == .netem ? 1 : 2) + (measurement.isOverUplink ? 1 : 0)
            verification.add(idle: result.idle)
            records = result.phases
        case .peer(let measurement, let ownRoundTrip):
            let result = try measurement.run(phases, progress: progress)
            for words in result.shortfalls { note(words) }
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
        private var known: Set<String> = []

        func insert(_ text: String) -> Bool { known.insert(text).inserted }
    }
}
