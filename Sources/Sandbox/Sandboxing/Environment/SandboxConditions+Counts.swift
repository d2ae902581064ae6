// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
internal import LinuxSystem
internal import PacketPump
internal import TrafficControl

extension SandboxConditions {
    /// Attributes the packets that the lanes count from now on to these conditions.
    func count(_ conditions: ConditionsHits.Conditions, of link: ConditionedInterfaces, _ plans: [Plan]) {
        let taps = pump == nil ? [] : plans.compactMap { $0.expected.first?.name.description }
        link.counted = taps.isEmpty ? nil : (conditions, taps, BootClock.now)
    }

    /// The counts of earlier conditions, with those of the conditions that are in effect on these links.
    func hits(with links: [ConditionedInterfaces]) -> ConditionsHits {
        var hits = hits
        for link in links {
            guard let pump, let (conditions, taps, since) = link.counted, conditions.hasParts else { continue }
            let reports = taps.compactMap { try? pump.client.report(tap: $0) }
            // The counts of a pump that was killed are unknown.
            guard reports.count == taps.count else { continue }
            // Nothing passes a link that is down: packets cannot show that a step has taken effect there.
            let seesAll =
                reports.allSatisfy { $0.profile.uplink != nil && $0.profile.downlink != nil }
                && link.uplink?.state.isUp != false
            hits.add(reports.map(\.counters), of: conditions, during: BootClock.now - since, seesAll: seesAll)
        }
        return hits
    }

    /// The parts of all conditions so far, and how many packets each part has met; only for the userspace engine.
    var parts: [ConditionsPart] { hits(with: links + rules).parts + competition }

    /// The lanes of the run that competing traffic used, and how long packets waited behind it.
    private var competition: [ConditionsPart] {
        let taps = (links + rules).flatMap { $0.counted?.taps ?? [] }
        let reports = taps.compactMap { try? pump?.client.report(tap: $0) }
        return Lane.allCases.compactMap { lane in
            ConditionsPart(competitionOn: lane, reports.map { $0.counters[lane] })
        }
    }
}
