// SPDX-License-Identifier: Apache-2.0

/// The differences from the model that a correct engine may show, besides chance.
package struct Tolerances: Sendable {
    /// The tolerance of the delay's median and mean: in milliseconds, or as a share of it if that is more.
    package var delay = (milliseconds: 0.2, share: 0.005)
    /// The tolerance of the slowest packets, in milliseconds; or the same share.
    package var tail = 1.0
    /// The tolerance of a rate, as a share.
    package var rate = 0.01
    /// The tolerance of a TCP connection's goodput, as a share: the kernel's CUBIC is not exactly the model's.
    package var goodput = 0.15
    /// The tolerance of the mean delay from a model that draws the same numbers, in milliseconds.
    package var replay = 0.5

    package init() {}

    func delay(_ milliseconds: Double) -> Double { max(delay.milliseconds, milliseconds * delay.share) }
    func tail(_ milliseconds: Double) -> Double { max(tail, milliseconds * delay.share) }
}
