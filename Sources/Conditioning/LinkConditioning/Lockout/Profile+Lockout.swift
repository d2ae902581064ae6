// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension Profile {
    /// The reason why an SSH session under this profile is unusable; nil if it is usable.
    ///
    /// The bounds are judgement: with 40 % loss, TCP backs off for minutes; below 8 kbit/s, a screen takes many
    /// seconds; and a prompt that takes 10 s seems dead.
    public var lockoutReason: String? {
        for (name, impairments) in [("downlink", downlink), ("uplink", uplink)] {
            guard let impairments else { continue }
            let lost = max(impairments.loss?.meanLoss ?? 0, impairments.meanCorruption ?? 0)
            if lost >= 0.4 { return "its \(name) loses \(Int((lost * 100).rounded())) % of the packets" }
            if let rate = impairments.rate, rate.bitsPerSecond < 8000 { return "its \(name) carries only \(rate)" }
        }
        let delay = [downlink, uplink].compactMap { $0?.delay }.reduce(Duration.zero, +)
        return delay >= .seconds(10) ? "a round trip takes \(delay.text)" : nil
    }
}
