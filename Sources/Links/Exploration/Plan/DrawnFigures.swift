// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Draws bad figures of a link.
extension RandomDraws {
    /// Draws figures of the kind, from mild at a `severity` of 0 to harsh at 1; nil if the kind is not one of figures.
    mutating func figures(_ kind: DisturbanceKind, _ severity: Double) -> Disturbance.Effect? {
        var figures = Impairments()
        switch kind {
        case .delay: figures.delay = delay(severity)
        case .jitter:
            let delay = delay(severity)
            figures.delay = delay
            figures.jitter = Jitter(amount: (delay * Double.random(in: 0.2...0.8, using: &self)).readable)
        case .loss: figures.loss = loss(severity)
        case .rate:
            let rate = scaled(from: 5_000_000, to: 32_000, severity).readable
            figures.rate = BitRate(bitsPerSecond: UInt64(rate))
        case .reordering:
            figures.delay = delay(severity / 2)
            figures.reorder = Reorder(probability: share(scaled(from: 0.02, to: 0.3, severity)))
            figures.duplicate = share(scaled(from: 0.01, to: 0.1, severity))
        case .outage: figures.loss = .random(.one)
        case .slowDNS: return .dns(.milliseconds(Int64(scaled(from: 200, to: 6000, severity).readable)))
        default: return nil
        }
        // Most bad links are bad in both directions.
        return .figures(happens(0.7) ? nil : pick([.downlink, .uplink]), figures)
    }

    private mutating func delay(_ severity: Double) -> Duration {
        .milliseconds(Int64(scaled(from: 50, to: 2000, severity).readable))
    }

    private mutating func loss(_ severity: Double) -> LossModel {
        let probability = share(scaled(from: 0.01, to: 0.4, severity))
        let burst = Double(Int.random(in: 2...8, using: &self))
        guard happens(0.4), let chain = GilbertElliott(loss: probability, burst: burst) else {
            return .random(probability)
        }
        return .gilbertElliott(chain)
    }

    private func share(_ fraction: Double) -> Probability { Probability(fraction: fraction.readable) }
}
