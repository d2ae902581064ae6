// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension AskedFigures {
    /// Rules are dated in whole seconds, and apply a moment later.
    private static let uncertainty = 2.0

    /// The figures that a profile with a schedule asks of a lane at a time; nil if they are not known, as near a step.
    ///
    /// - Parameters:
    ///   - since: when the profile took effect, in seconds since 1970; nil if unknown.
    ///   - time: the time in seconds since 1970.
    init?(_ profile: Profile, _ lane: Lane, since: Int?, time: Double) {
        let base = profile.impairments(of: lane) ?? Impairments()
        guard let schedule = profile.schedule, !schedule.steps.isEmpty else {
            self.init(base)
            return
        }
        guard let since else { return nil }
        var elapsed = time - Double(since)
        let times = schedule.steps.map { $0.at / .seconds(1) }
        let period = schedule.repeat.map { $0 / .seconds(1) } ?? 0
        // The same rule as in `Timeline` of LinkEmulation.
        let isRepeated = period > times.last ?? 0
        if isRepeated { elapsed = elapsed.truncatingRemainder(dividingBy: period) }
        let changes = times + (isRepeated ? [0, period] : [])
        guard !changes.contains(where: { abs($0 - elapsed) < Self.uncertainty }) else { return nil }
        let step = times.lastIndex { $0 <= elapsed }.map { schedule.steps[$0] }
        let overrides = step.flatMap { profile.overrides(of: lane, in: $0) }
        self.init(overrides.map { $0.overriding(base) } ?? base)
    }
}
