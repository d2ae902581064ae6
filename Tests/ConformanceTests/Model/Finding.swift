// SPDX-License-Identifier: Apache-2.0

/// What a link is judged by.
enum Aspect: String, Sendable {
    /// In milliseconds.
    case meanDelay = "mean delay"
    /// In packets.
    case losses
    /// In packets.
    case meanBurst = "mean burst"
    /// The distance of Kolmogorov and Smirnov between the delays and the model's.
    case shape
    /// Packets that came after one that was sent later.
    case overtaken
    /// How much of its rate the model sends: whether enough came to it for the rate to be measured.
    case filling
    /// As a share of the model's.
    case rate
    /// Packets that came here and not there, against the model with the engine's own seed.
    case otherFates = "other fates"
    /// The mean difference from the delays of the model with the engine's own seed, in milliseconds.
    case delayDifference = "delay difference"

    /// Whether a right engine fails it by chance now and then, so that it needs a share of the suite's error.
    var isStatistical: Bool { [.meanDelay, .losses, .meanBurst, .shape].contains(self) }
}

/// One aspect of one direction as it was measured, and where it should be.
struct Finding: CustomStringConvertible, Sendable {
    let aspect: Aspect
    let measured: Double
    let allowed: ClosedRange<Double>

    var holds: Bool { allowed.contains(measured) }

    var description: String {
        func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
        let range = "\(text(allowed.lowerBound)) to \(text(allowed.upperBound))"
        return "\(aspect.rawValue) \(text(measured)) (\(range))\(holds ? "" : " FAILS")"
    }
}
