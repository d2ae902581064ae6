// SPDX-License-Identifier: Apache-2.0

/// The aspects by which a lane is judged.
package enum Aspect: String, CaseIterable, Sendable {
    // Delays are in milliseconds.
    case medianDelay = "delay p50"
    case longDelay = "delay p90"
    case tailDelay = "delay p99"
    case meanDelay = "mean delay"
    /// The delay of the packet that took longest.
    case longestDelay = "longest delay"
    /// The time to open a connection.
    case roundTrip = "connect"
    /// The sum of the delays of both directions, of half the packets.
    case bothWays = "both ways p50"
    /// The data that one TCP connection carries, in bits a second.
    case goodput
    /// The distance of Kolmogorov and Smirnov between the delays and the model's.
    case shape = "delay shape"
    /// Counts are in packets.
    case losses
    case meanBurst = "mean burst"
    /// Packets that came again.
    case duplicates
    /// Packets whose payload had changed.
    case damaged = "corrupted"
    /// Packets that were marked instead of lost.
    case marked
    /// Packets that came after one that was sent later.
    case overtaken
    /// How much of its rate the model sends: whether enough came to it for the rate to be measured.
    case filling
    /// The rate, as a share of the model's.
    case rate
    /// The whole second in which least came, as a share of the model's.
    case slowestSecond = "slowest second"
    /// The whole second in which most came, as a share of the model's.
    case fastestSecond = "fastest second"
    /// Packets that came here and not there, against the model with the engine's own seed.
    case otherFates = "other fates"
    /// The mean difference from the delays of the model with the engine's own seed, in milliseconds.
    case delayDifference = "delay difference"

    /// Whether a right engine fails it by chance now and then, so that it needs a share of the error.
    package var isStatistical: Bool {
        switch self {
        case .filling, .rate, .overtaken, .otherFates, .delayDifference: false
        default: true
        }
    }
}

/// One aspect of one lane: the measured value, and its allowed range.
package struct LinkFinding: CustomStringConvertible, Sendable {
    /// The verdict of a measurement on a link.
    package enum Verdict: String, Sendable {
        case pass, fail
        /// The value is not as it should be, and this machine could have made a correct link look so.
        case inconclusive
    }

    package let aspect: Aspect
    /// The model's mean.
    package let modelled: Double
    package let measured: Double
    /// The values of a correct link on an ideal machine.
    package let allowed: ClosedRange<Double>
    /// The values of a correct link on a machine as noisy as this one.
    package let excusable: ClosedRange<Double>

    package init(
        _ aspect: Aspect,
        modelled: Double,
        measured: Double,
        allowed: ClosedRange<Double>,
        excusable: ClosedRange<Double>? = nil
    ) {
        (self.aspect, self.modelled, self.measured, self.allowed) = (aspect, modelled, measured, allowed)
        let wide = excusable ?? allowed
        self.excusable = min(wide.lowerBound, allowed.lowerBound)...max(wide.upperBound, allowed.upperBound)
    }

    package var verdict: Verdict {
        allowed.contains(measured) ? .pass : excusable.contains(measured) ? .inconclusive : .fail
    }

    /// Whether the link could be right.
    package var holds: Bool { verdict != .fail }

    package var description: String {
        func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
        let range = "\(text(excusable.lowerBound)) to \(text(excusable.upperBound))"
        return "\(aspect.rawValue) \(text(measured)) (\(range))\(holds ? "" : " FAILS")"
    }
}
