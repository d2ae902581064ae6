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
    /// The time that the handshake of a TCP connection takes.
    case roundTrip = "connect"
    /// The sum of both directions' median delays.
    case bothWays = "both ways p50"
    /// The goodput of one TCP connection, in bits per second.
    case goodput
    /// The Kolmogorov-Smirnov distance between the measured delays and the model's.
    case shape = "delay shape"
    /// Losses and the following counts are numbers of packets.
    case losses
    case meanBurst = "mean burst"
    case longestBurst = "longest burst"
    /// Duplicates that arrived.
    case duplicates
    /// Packets that arrived with a changed payload.
    case damaged = "corrupted"
    /// Packets that were marked (ECN) instead of lost.
    case marked
    /// Packets that arrived after a packet that was sent later.
    case overtaken
    /// The rate of the model as a share of the configured rate: whether enough was sent to measure that rate.
    case filling
    /// The measured rate, as a share of the model's.
    case rate
    /// The rate in the slowest whole second, as a share of the model's.
    case slowestSecond = "slowest second"
    /// The rate in the fastest whole second, as a share of the model's.
    case fastestSecond = "fastest second"
    /// Packets that arrived in the measurement or in the replay with the engine's seed, but not in both.
    case otherFates = "other fates"
    /// The mean difference of the delays from the replay with the engine's seed, in milliseconds.
    case delayDifference = "delay difference"

    /// Whether a correct link may fail the aspect by chance, so that the error probability has to be shared among such
    /// aspects.
    package var isStatistical: Bool {
        switch self {
        case .filling, .longestBurst, .rate, .overtaken, .otherFates, .delayDifference: false
        default: true
        }
    }
}

/// One aspect of one lane: the measured value, and its allowed range.
package struct LinkFinding: CustomStringConvertible, Sendable {
    /// The verdict of a measurement on a link.
    package enum Verdict: String, Sendable {
        case pass, fail
        /// The value is out of range, but this machine could have made a correct link look so.
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

    /// Whether the link may be correct.
    package var holds: Bool { verdict != .fail }

    package var description: String {
        func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
        let range = "\(text(excusable.lowerBound)) to \(text(excusable.upperBound))"
        return "\(aspect.rawValue) \(text(measured)) (\(range))\(holds ? "" : " FAILS")"
    }
}
