// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Losses and bursts.
extension FittedLink {
    private static let fewestSegments = 200

    mutating func fitLoss(_ samples: LinkSamples) {
        segments = (
            Self.loss(of: samples.downlink), Self.loss(of: samples.uplink)
        )
        let isSaturated = (rates.down?.rate != nil, rates.up?.rate != nil)
        if samples.countsLoss, !samples.probes.isEmpty {
            var isLost = samples.probes.map { $0.trip == nil }
            var fit = LossFit(isLost)
            outage = fit.outage
            if let outage {
                isLost.removeSubrange(outage)
                fit = LossFit(isLost)
            }
            loss = fit
            add("loss, round trip", Self.percent(fit.share.value), Self.percent(fit.share), Self.fit(of: fit))
            if let burst = fit.burst { addBurst("burst, round trip", burst) }
        }
        if let down = segments.down, let up = segments.up, !isSaturated.0, !isSaturated.1 {
            profile.downlink?.loss = down.model
            profile.uplink?.loss = up.model
            remarks.append("the losses of the profile are those of TCP's segments, which tell the directions apart")
        } else if let loss, loss.lost > 0 {
            let half = loss.halved()
            add("loss, each way", Self.percent(half.share.value), Self.percent(half.share))
            if let burst = half.burst { addBurst("burst, each way", burst) }
            change { $0.loss = half.model }
            remarks.append("which direction lost a packet is not known: each is taken to lose half of them")
        } else if loss == nil {
            if !isSaturated.0 { profile.downlink?.loss = segments.down?.model }
            if !isSaturated.1 { profile.uplink?.loss = segments.up?.model }
        }
        for (name, fit, isSaturated) in [
            ("downlink", segments.down, isSaturated.0), ("uplink", segments.up, isSaturated.1),
        ] {
            guard let fit else { continue }
            add("loss of TCP, \(name)", Self.percent(fit.share.value), Self.percent(fit.share), Self.fit(of: fit))
            if fit.lost > 0, isSaturated {
                remarks.append(
                    "the losses of TCP on the \(name) are not in the profile: its full queue drops packets, too"
                )
            }
        }
    }

    private static func loss(of transfer: Transfer?) -> LossFit? {
        transfer.flatMap { $0.isLost.count >= fewestSegments ? LossFit($0.isLost) : nil }
    }

    private mutating func addBurst(_ name: String, _ burst: Estimate) {
        let ends = (Self.number(burst.range.lowerBound), Self.number(burst.range.upperBound))
        add(name, "\(Self.number(burst.value)) packets", "\(ends.0) to \(ends.1)")
    }

    private static func fit(of fit: LossFit) -> String {
        guard fit.lost > 0 else { return "" }
        if let memory = fit.memory {
            return "without bursts \(probability(fit.independence)), with them \(probability(memory))"
        }
        return "independent: \(probability(fit.independence))"
    }
}
