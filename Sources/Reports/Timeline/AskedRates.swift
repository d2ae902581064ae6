// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The rates that conditions ask for.
package struct AskedRates: Hashable, Sendable {
    /// To the server; nil where it has none, or a recorded one.
    package var uplink: AskedRate?
    /// To the client.
    package var downlink: AskedRate?

    package init(uplink: AskedRate? = nil, downlink: AskedRate? = nil) {
        (self.uplink, self.downlink) = (uplink, downlink)
    }

    /// The rates of a profile.
    package init(_ profile: Profile) {
        let steps = profile.schedule?.steps ?? []
        let period = profile.schedule?.repeat
        uplink = AskedRate(profile.uplink, steps.map { ($0.at, $0.uplink) }, period: period)
        downlink = AskedRate(profile.downlink, steps.map { ($0.at, $0.downlink) }, period: period)
    }
}

/// The rate of one way of a link, by the time since its conditions are in effect.
package struct AskedRate: Hashable, Sendable {
    /// A time of one rate.
    package struct Part: Hashable, Sendable {
        package var begin: Duration
        package var end: Duration
        package var rate: BitRate
    }

    private struct Step: Hashable {
        var at: Duration
        /// Nil while there is none.
        var rate: BitRate?
    }

    /// In the order of time, the first at zero.
    private var steps: [Step]
    /// After this time the steps come again; nil if the last one stays.
    private var period: Duration?

    /// A rate that does not change.
    package init(_ rate: BitRate) { steps = [Step(at: .zero, rate: rate)] }

    /// The rate of a profile's figures, and those of its schedule; nil if it never has one.
    fileprivate init?(_ base: Impairments?, _ changes: [(at: Duration, figures: Impairments?)], period: Duration?) {
        let base = base ?? Impairments()
        steps = [Step(at: .zero, rate: base.rate)]
        for change in changes {
            let rate = (change.figures ?? Impairments()).overriding(base).rate
            // A step at the begin takes the place of the profile's own figures.
            if steps.last?.at == change.at { steps.removeLast() }
            if steps.last?.rate != rate || steps.isEmpty { steps.append(Step(at: change.at, rate: rate)) }
        }
        guard steps.contains(where: { $0.rate != nil }) else { return nil }
        if let period, let last = changes.last, period > last.at, steps.count > 1 { self.period = period }
    }

    /// The rate, if it does not change.
    package var constant: BitRate? { steps.count == 1 ? steps[0].rate : nil }

    /// The times of one rate each, for conditions that hold from `begin` to `end`; the first `limit` of them.
    package func parts(_ begin: Duration, _ end: Duration, limit: Int) -> [Part] {
        var parts: [Part] = []
        var start = begin
        while start < end, parts.count < limit {
            for (place, step) in steps.enumerated() {
                let next = place + 1 < steps.count ? steps[place + 1].at : period
                let (from, to) = (start + step.at, min(next.map { start + $0 } ?? end, end))
                if let rate = step.rate, from < to, parts.count < limit {
                    parts.append(Part(begin: from, end: to, rate: rate))
                }
            }
            guard let period else { break }
            start += period
        }
        return parts
    }
}

extension RunTimeline {
    /// The rates that were asked for one way, in the order of time; the first `limit` of them.
    func asked(_ way: KeyPath<AskedRates, AskedRate?>, limit: Int) -> [AskedRate.Part] {
        var parts: [AskedRate.Part] = []
        for period in periods where parts.count < limit {
            guard let rate = period.rates[keyPath: way] else { continue }
            parts += rate.parts(period.begin, period.end, limit: limit - parts.count)
        }
        return parts
    }
}
