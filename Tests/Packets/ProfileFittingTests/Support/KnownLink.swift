// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// A random link whose directions are alike.
struct KnownLink: CustomTestStringConvertible {
    let seed: UInt64
    var figures = Impairments()

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let delay = exp(Double.random(in: log(0.005)...log(0.2), using: &random))
        figures.delay = .nanoseconds(Int64(delay * 1e9))
        let kinds: [Jitter.Distribution?] = [nil] + Jitter.Distribution.allCases
        if let kind = kinds[Int(seed) % kinds.count] {
            let amount = delay * Double.random(in: 0.05...0.3, using: &random)
            figures.jitter = Jitter(amount: .nanoseconds(Int64(amount * 1e9)), distribution: kind)
        }
        switch seed % 3 {
        case 0: figures.loss = .random(Probability(fraction: Double.random(in: 0.005...0.1, using: &random)))
        case 1:
            let loss = Probability(fraction: Double.random(in: 0.01...0.08, using: &random))
            figures.loss = GilbertElliott(loss: loss, burst: Double.random(in: 2...8, using: &random))
                .map(LossModel.gilbertElliott)
        default: break
        }
    }

    var profile: Profile {
        var profile = Profile(name: "known \(seed)")
        (profile.downlink, profile.uplink) = (figures, figures)
        return profile
    }

    var testDescription: String { "\(seed): \(figures.json.line)" }

    static let all = (1...20).map { KnownLink(seed: UInt64($0)) }
}
