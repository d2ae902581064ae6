// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// Delay and jitter.
extension FittedLink {
    /// The round trips less the frames' transmission times at the fitted rates. Subtracts nothing if a transmission
    /// time exceeds a round trip: then the link is a token bucket, which passes single frames at once.
    func subtractingTransmission(_ samples: LinkSamples) -> [Double] {
        let perByte = [rates.down, rates.up].compactMap(\.?.rate?.value).reduce(0) { $0 + 8 / $1 }
        let times = samples.probes.compactMap { probe in
            probe.trip.map { (trip: $0, own: Double(probe.bytes) * perByte) }
        }
        let isBucket = times.contains { $0.own > $0.trip }
        return times.map { isBucket ? $0.trip : $0.trip - $0.own }
    }

    mutating func fitDelay(_ samples: LinkSamples) {
        let trips = subtractingTransmission(samples)
        guard !trips.isEmpty else { return }
        let fit = DelayFit(trips)
        delay = fit
        let value = Self.duration(fit.delay.value)
        change { $0.delay = value }
        add(
            "delay, each way",
            value.words,
            Self.range(fit.delay),
            fit.jitter == nil ? "spread \(Self.words(fit.spread))" : ""
        )
        add("least round trip", Self.words(samples.minimumTrip ?? 0))
        remarks.append(
            "a round trip covers both directions: each is taken to have half of its delay, and jitter like the other's"
        )
        let unknown = [rates.down, rates.up].count { $0?.rate == nil }
        if unknown > 0, let bytes = samples.probes.map(\.bytes).max() {
            let ways = unknown == 2 ? "both directions take" : "the direction without a rate takes"
            remarks.append("the delay includes the time that \(ways) to send the frame itself, \(bytes) bytes at most")
        }
        guard let jitter = fit.jitter, let goodness = fit.goodness else {
            if trips.count < DelayFit.fewest {
                remarks.append("\(trips.count) round trips are too few to tell jitter: \(DelayFit.fewest) are needed")
            }
            return
        }
        let amount = Self.duration(jitter.amount.value)
        let isOrdered = !samples.isReordered
        change { $0.jitter = Jitter(amount: amount, distribution: jitter.kind, ordered: isOrdered) }
        let word = fit.isPoor ? "poor" : goodness.probability < 0.01 ? "near" : "good"
        // The number of simulations does not resolve smaller probabilities.
        let probability = goodness.probability < 0.01 ? "p < 0.01" : Self.probability(goodness.probability)
        let fitText = "\(word): \(probability), distance \(goodness.distance.rounded(digits: 2))"
        add("jitter, each way", "\(amount.words) \(jitter.kind.rawValue)", Self.range(jitter.amount), fitText)
        if let other = fit.otherKind {
            remarks.append(
                "\(trips.count) round trips do not tell \(jitter.kind.rawValue) jitter from \(other.rawValue): the likelier is taken"
            )
        }
        let times = samples.probes.map(\.time).sorted()
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
        if isOrdered, gaps.midpointQuantile(0.5) < fit.spread {
            remarks.append(
                "packets were sent closer together than the jitter is wide, and may have waited for each other"
            )
        }
    }
}
