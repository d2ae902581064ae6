// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

extension Profile {
    /// The profile with figures that do not change: for each figure that a schedule or a recording changes, its mean
    /// over one repetition.
    func mean(_ recordings: Recordings) -> Profile {
        var profile = self
        profile.schedule = nil
        profile.downlink = mean(.downlink, recordings)
        profile.uplink = mean(.uplink, recordings)
        return profile
    }

    private func mean(_ lane: Lane, _ recordings: Recordings) -> Impairments? {
        guard let timeline = LinkTimeline(self, lane, recordings) else {
            var figures = impairments(of: lane)
            // A recording that cannot be read does not limit the rate.
            figures?.trace = nil
            return figures
        }
        var figures = impairments(of: lane) ?? Impairments()
        figures.trace = nil
        figures.rate = timeline.rates(1).first.flatMap { rate in
            rate.isFinite ? BitRate(bitsPerSecond: UInt64(rate.rounded())) : nil
        }
        if let delay = timeline.delays(1).first { figures.delay = .seconds(delay) }
        if let loss = timeline.losses(1).first, loss > 0 || figures.loss != nil {
            // A loss that does not change keeps its model.
            if loss != figures.loss?.meanLoss { figures.loss = .random(Probability(fraction: loss)) }
        }
        return figures
    }
}
