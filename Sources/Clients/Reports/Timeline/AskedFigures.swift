// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The rates and delays that a profile sets, for drawings, and all of its figures in words.
package struct AskedFigures: Hashable, Sendable {
    /// The figures of one direction.
    struct Way: Hashable, Sendable {
        /// The rate; nil if there is none, or if it follows a recording.
        var rate: AskedFigure<BitRate>?
        /// The delay; nil if there is none.
        var delay: AskedFigure<Duration>?
    }

    var uplink = Way()
    var downlink = Way()
    /// The profile's figures, in words.
    var words: String?
}

extension AskedFigures {
    package init(_ profile: Profile) {
        let steps = profile.schedule?.steps ?? []
        let period = profile.schedule?.repeat
        uplink = Way(profile.uplink, steps.map { ($0.at, $0.uplink) }, period: period)
        downlink = Way(profile.downlink, steps.map { ($0.at, $0.downlink) }, period: period)
        var rest = profile
        rest.faults = []
        let figures = ProfileOverview(rest)
        let faults = profile.faults.prefix(Self.maximumFaults).enumerated().map { "fault \($0 + 1) (\($1.words))" }
        let more = profile.faults.count - faults.count
        // Faults are all that a broken network has, as a rule.
        let isBare = !faults.isEmpty && [figures.uplink, figures.downlink, figures.dns].allSatisfy { $0 == "-" }
        words = ((isBare ? [] : [figures.sentence]) + faults + (more > 0 ? ["\(more) more faults"] : []))
            .joined(separator: "; ")
    }

    /// The maximum number of faults in the words.
    private static let maximumFaults = 3
}

extension ProfileOverview {
    /// "to the client 1 Mbit/s; to the server 100 kbit/s; DNS + 100 ms".
    fileprivate var sentence: String {
        let isChanged = { (words: String) in words != "-" }
        let ways =
            downlink == uplink
            ? [isChanged(uplink) ? "each way \(uplink)" : "a perfect link"]
            : [
                "to the client \(isChanged(downlink) ? downlink : "perfect")",
                "to the server \(isChanged(uplink) ? uplink : "perfect")",
            ]
        return (ways + (isChanged(dns) ? ["DNS \(dns)"] : [])).joined(separator: "; ")
    }
}

extension AskedFigures.Way {
    fileprivate init(_ base: Impairments?, _ changes: [(at: Duration, figures: Impairments?)], period: Duration?) {
        rate = AskedFigure(\.rate, base, changes, period: period)
        delay = AskedFigure(\.delay, base, changes, period: period)
    }
}

/// One figure in one direction, by the time since its conditions took effect.
struct AskedFigure<Value: Hashable & Sendable>: Hashable, Sendable {
    /// A period in which the figure has one value.
    struct Part: Hashable, Sendable {
        var begin: Duration
        var end: Duration
        var value: Value
    }

    private struct Step: Hashable {
        var at: Duration
        /// The value; nil while there is none.
        var value: Value?
    }

    /// The steps in the order of time, the first at zero.
    private var steps: [Step]
    /// The time after which the steps repeat; nil if the last step stays.
    private var period: Duration?

    /// A figure that does not change.
    init(_ value: Value) { steps = [Step(at: .zero, value: value)] }

    /// A profile's figure, and the figures of its schedule; nil if it never has one.
    fileprivate init?(
        _ figure: KeyPath<Impairments, Value?>,
        _ base: Impairments?,
        _ changes: [(at: Duration, figures: Impairments?)],
        period: Duration?
    ) {
        let base = base ?? Impairments()
        steps = [Step(at: .zero, value: base[keyPath: figure])]
        for change in changes {
            let value = (change.figures ?? Impairments()).overriding(base)[keyPath: figure]
            // A step at zero replaces the profile's figures outside the schedule.
            if steps.last?.at == change.at { steps.removeLast() }
            if steps.last?.value != value || steps.isEmpty { steps.append(Step(at: change.at, value: value)) }
        }
        guard steps.contains(where: { $0.value != nil }) else { return nil }
        if let period, let last = changes.last, period > last.at, steps.count > 1 { self.period = period }
    }

    /// The value if it never changes; nil otherwise.
    var constant: Value? { steps.count == 1 ? steps[0].value : nil }

    /// The periods of one value each, for conditions in effect from `begin` to `end`; at most the first `limit`.
    func parts(_ begin: Duration, _ end: Duration, limit: Int) -> [Part] {
        var parts: [Part] = []
        var start = begin
        while start < end, parts.count < limit {
            for (index, step) in steps.enumerated() {
                let next = index + 1 < steps.count ? steps[index + 1].at : period
                let (from, to) = (start + step.at, min(next.map { start + $0 } ?? end, end))
                if let value = step.value, from < to, parts.count < limit {
                    parts.append(Part(begin: from, end: to, value: value))
                }
            }
            guard let period else { break }
            start += period
        }
        return parts
    }
}

extension RunTimeline {
    /// The figure's periods of one value each, in the order of time; at most the first `listLimit`.
    func asked<Value>(_ figure: KeyPath<AskedFigures, AskedFigure<Value>?>) -> [AskedFigure<Value>.Part] {
        var parts: [AskedFigure<Value>.Part] = []
        for period in periods where parts.count < Self.listLimit {
            guard let asked = period.asked[keyPath: figure] else { continue }
            parts += asked.parts(period.begin, period.end, limit: Self.listLimit - parts.count)
        }
        return parts
    }
}
