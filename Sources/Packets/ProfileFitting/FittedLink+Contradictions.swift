// SPDX-License-Identifier: Apache-2.0

/// Finds contradictions between a recording and a link of constant figures.
extension FittedLink {
    mutating func addContradictions(trips: [Double], _ samples: LinkSamples) {
        let constancy = Constancy(trips)
        var advice = "shape it by a schedule's steps, or import a part of the recording"
        if let outage {
            contradictions.append(
                "packets \(outage.lowerBound + 1) to \(outage.upperBound) were all lost, an outage that is not in the profile"
            )
            advice = "import the parts before and after it, and have a scenario make the outage"
        }
        if let (from, to) = constancy.drift {
            contradictions.append(
                "the round trip goes from \(Self.words(from)) to \(Self.words(to)) during the recording"
            )
        } else if let (low, high) = constancy.levels {
            contradictions.append("the usual round trip changes between \(Self.words(low)) and \(Self.words(high))")
        }
        if let modes = constancy.modes, constancy.drift == nil {
            let (low, high) = (Self.words(modes.low), Self.words(modes.high))
            contradictions.append(
                "round trips have two modes, \(low) and \(high), the latter in \(Self.percent(modes.share))"
            )
        } else if delay?.isPoor ?? false, constancy.drift == nil {
            contradictions.append("no kind of jitter that a profile has is near to the round trips")
        }
        for (name, fit) in [("downlink", rates.down), ("uplink", rates.up)] where fit?.isChanging ?? false {
            let near = Self.percent(fit?.constancy ?? 0)
            contradictions.append(
                "the rate of the \(name) changes: of what waited in its queue, \(near) passed within a fifth of the rate"
            )
        }
        if let (first, second) = loss?.halves {
            contradictions.append(
                "\(Self.percent(first)) of the first half were lost, and \(Self.percent(second)) of the second"
            )
        }
        if let loss, outage == nil, let memory = loss.memory, memory < 0.001 {
            contradictions.append(
                "losses come in bursts that the chain of a mean loss and a mean burst does not explain"
            )
        }
        if !contradictions.isEmpty {
            remarks.append("this is no link of constant figures: \(contradictions.joined(separator: "; ")); \(advice)")
        }
    }
}
