// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Rates and queues.
extension FittedLink {
    mutating func fitRates(_ samples: LinkSamples) {
        for (name, fit, direction) in [("downlink", rates.down, \Profile.downlink), ("uplink", rates.up, \.uplink)] {
            guard let fit else { continue }
            guard let rate = fit.rate else {
                add("rate, \(name)", "at least \(Self.rate(fit.atLeast))", "", "nothing saturated it")
                continue
            }
            let waiting = fit.standing.map { ", queue of \(Self.words($0))" } ?? ""
            let passed = "\(Int((fit.share * 100).rounded())) % of all bytes\(waiting)"
            add(
                "rate, \(name)",
                Self.rate(rate.value),
                "\(Self.rate(rate.range.lowerBound)) to \(Self.rate(rate.range.upperBound))",
                passed
            )
            var impairments = profile[keyPath: direction] ?? Impairments()
            impairments.rate = Self.bitRate(rate.value)
            if let queue = fit.queue, queue.value > 0.001 {
                impairments.queue = .time(Self.duration(queue.value))
                add("queue, \(name)", Self.words(queue.value), Self.range(queue), "it overflowed")
            } else if let standing = fit.standing {
                add("queue, \(name)", "at least \(Self.words(standing))")
            }
            profile[keyPath: direction] = impairments
        }
        let missing = [("downlink", rates.down), ("uplink", rates.up)].filter { $0.1?.rate == nil }.map(\.0)
        if missing.count == 1 {
            remarks.append(
                "the \(missing[0]) has no rate in the profile: nothing saturated it; transfer more in that direction"
            )
        } else if !missing.isEmpty, samples.downlink == nil {
            remarks.append("a log of ping tells no rate: capture a long transfer in each direction")
        } else if !missing.isEmpty {
            remarks.append(
                "the profile has no rate: nothing saturated the link; capture a long transfer in each direction"
            )
        }
    }
}
