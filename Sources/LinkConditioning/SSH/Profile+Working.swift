// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension Profile {
    /// Why nobody can work over a link like this any more; nil where one can.
    ///
    /// The bounds are judgement: where four packets of ten are lost, TCP backs off for minutes; below 8 kbit/s a
    /// screen takes longer than a second's patience many times over; and after 10 s a prompt counts as gone.
    public var reasonNotToWorkOver: String? {
        for (name, impairments) in [("downlink", downlink), ("uplink", uplink)] {
            guard let impairments else { continue }
            let lost = max(impairments.loss?.meanLoss ?? 0, impairments.corrupt?.fraction ?? 0)
            if lost >= 0.4 { return "its \(name) loses \(Int((lost * 100).rounded())) % of the packets" }
            if let rate = impairments.rate, rate.bitsPerSecond < 8000 { return "its \(name) carries \(rate) only" }
        }
        let delay = [downlink, uplink].compactMap { $0?.delay }.reduce(Duration.zero, +)
        return delay >= .seconds(10) ? "an answer takes \(delay.text)" : nil
    }
}
