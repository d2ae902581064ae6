// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Generates the timelines of a seed, in the order in which they are tried: from mild to harsh.
///
/// The first timelines have one disturbance each, so that a failure has a simple cause: mild figures; a reset of each
/// of the first connections; the other faults on the first connection, and some of them on the next ones; each change;
/// each fault during a limited time; harsh figures; each fault on all connections. The later timelines mix several
/// disturbances, whose number and severity increase.
package struct TimelineGenerator: Sendable {
    private let client: ObservedClient
    private let base: Profile
    private let seed: UInt64
    /// The kinds of disturbances that can affect the client.
    package let kinds: [DisturbanceKind]
    private let singles: [Single]
    /// The reaches that faults in a mix may have.
    private let reaches: [FaultReach]

    /// A disturbance to draw: its kind, severity and reach.
    private struct Single {
        var kind: DisturbanceKind
        var severity: Double
        var reach: FaultReach
    }

    /// The number of mixes after which their number of disturbances and severity no longer increase.
    private static let longestRise = 100
    private static let maximumDisturbances = 5
    /// The fraction of the client's duration at which the disturbances with a length end at the latest, so that a
    /// client has time to recover.
    private static let latestEnd = 0.75
    /// The number of attempts to draw another timeline if one contradicts itself.
    private static let attemptLimit = 50
    /// The highest number of a single connection that faults are drawn for, and the kinds drawn besides resets for
    /// connections after the first: a missing response, and a missing server.
    private static let (lastPlace, placedKinds) = (4, [DisturbanceKind.close, .silence, .refusal])

    /// Prepares the timelines.
    ///
    /// - Parameters:
    ///   - client: the observed behaviour of the client.
    ///   - base: the conditions without disturbances.
    ///   - kinds: the kinds of disturbances that may be drawn.
    package init(_ client: ObservedClient, base: Profile, seed: UInt64, kinds: [DisturbanceKind]) {
        (self.client, self.base, self.seed) = (client, base, seed)
        self.kinds = kinds.filter { $0.concerns(client) }
        let connections = client.servers.filter { $0.transport == .tcp }.map(\.connections).max() ?? 0
        let numbers = Array(1...max(1, min(connections, Self.lastPlace)))
        reaches = numbers.map { .once($0) } + [.forATime, .always]
        func all(_ group: DisturbanceKind.Group, _ severity: Double, _ reach: FaultReach) -> [Single] {
            kinds.filter { $0.group == group && $0.concerns(client) }
                .map { Single(kind: $0, severity: severity, reach: reach) }
        }
        // A reset of the response: the server has the request. Repeating such a request is the commonest mistake of
        // clients.
        let resets = numbers.flatMap { number in all(.faults, 0.5, .once(number)).filter { $0.kind == .reset } }
        let others = numbers.dropFirst().flatMap { number in
            all(.faults, 0.5, .once(number)).filter { Self.placedKinds.contains($0.kind) }
        }
        var singles = all(.figures, 0, .always).filter { $0.kind != .outage }
        singles += all(.figures, 0.8, .forATime).filter { $0.kind == .outage }
        singles += resets + all(.faults, 0.5, .once(1)).filter { $0.kind != .reset } + others
        singles += all(.changes, 0.5, .forATime) + all(.faults, 0.5, .forATime)
        singles += all(.figures, 0.75, .always) + all(.faults, 1, .always)
        singles += all(.changes, 1, .always).filter { $0.kind != .newAddress && $0.kind != .natRebind }
        self.singles = singles
    }

    /// The number of timelines with a single disturbance, which precede the mixes.
    package var singleCount: Int { singles.count }

    /// Generates the timeline with the given number, from 0; the same one at each call.
    package func timeline(_ number: Int) -> DisturbanceTimeline {
        for attempt in 0..<Self.attemptLimit {
            var draws = RandomDraws(seed: seed &+ UInt64(attempt) &* 0x1_0000_0001, number: number)
            let disturbances =
                number < singles.count ? [single(singles[number], &draws)].compactMap { $0 } : mix(number, &draws)
            let timeline = DisturbanceTimeline(base, disturbances)
            if !disturbances.isEmpty, timeline.problem == nil { return timeline }
        }
        return DisturbanceTimeline(base, [])
    }

    private func mix(_ number: Int, _ draws: inout RandomDraws) -> [Disturbance] {
        let rise = min(Double(number - singles.count) / Double(Self.longestRise), 1)
        let maximum = 2 + Int((rise * Double(Self.maximumDisturbances - 2)).rounded())
        let count = Int.random(in: 1...maximum, using: &draws)
        return (0..<count).compactMap { _ in
            guard let kind = draws.pick(kinds) else { return nil }
            let severity = Double.random(in: 0...(0.5 + rise / 2), using: &draws)
            return single(
                Single(kind: kind, severity: severity, reach: draws.pick(reaches) ?? .always),
                &draws
            )
        }
    }

    private func single(_ single: Single, _ draws: inout RandomDraws) -> Disturbance? {
        let effect: Disturbance.Effect?
        switch single.kind.group {
        case .figures: effect = draws.figures(single.kind, single.severity)
        case .faults: effect = draws.fault(single.kind, single.reach, client)
        case .changes: effect = draws.change(single.kind, client)
        }
        guard let effect else { return nil }
        var disturbance = Disturbance(single.kind, effect)
        // A fault on a numbered connection lasts from the start, since connections are numbered from the client's
        // start. DNS queries and datagrams have no connection numbers.
        let isOnce = single.reach.number != nil && single.kind.isOfConnections
        let isAlways = if case .always = single.reach { true } else { false }
        guard disturbance.isMomentary || !isAlways && !isOnce else { return disturbance }
        disturbance.start = draws.part(of: client.duration, 0.05...0.45)
        if !disturbance.isMomentary {
            let length = draws.part(of: client.duration, 0.1...(0.25 + single.severity / 4))
            disturbance.length = min(length, (client.duration * Self.latestEnd).readable - disturbance.start)
        }
        return disturbance
    }
}

extension DisturbanceKind {
    /// Whether the kind affects TCP connections, which can be numbered.
    fileprivate var isOfConnections: Bool {
        switch self {
        case .reset, .close, .halfClose, .stall, .silence, .refusal, .unreachable, .lostOpening, .stalledHandshake: true
        default: false
        }
    }
}
