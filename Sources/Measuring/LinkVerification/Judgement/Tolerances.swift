// SPDX-License-Identifier: Apache-2.0

/// The differences from the model that a correct engine may show, apart from chance.
package struct Tolerances: Sendable {
    /// The tolerance of the median and mean delay: milliseconds, or a share of the delay if that is more.
    package var delay = (milliseconds: 0.2, share: 0.005)
    /// The tolerance of the highest delays: milliseconds, or `delay.share` of the delay if that is more.
    package var tail = 1.0
    /// The tolerance of a rate, as a share of it.
    package var rate = 0.01
    /// The tolerance of a TCP connection's goodput, as a share of it: the kernel's CUBIC differs slightly from the
    /// model.
    package var goodput = 0.15
    /// The tolerance of the mean delay against a replay with the engine's seed, in milliseconds.
    package var replay = 0.5

    package init() {}

    func delay(_ milliseconds: Double) -> Double { max(delay.milliseconds, milliseconds * delay.share) }
    func tail(_ milliseconds: Double) -> Double { max(tail, milliseconds * delay.share) }
}
