// SPDX-License-Identifier: Apache-2.0

/// What a right engine may differ by from the model, besides what chance decides.
package struct Tolerances: Sendable {
    /// Of the delay's middle and mean: in milliseconds, or as a share of it where that is more.
    package var delay = (milliseconds: 0.2, share: 0.005)
    /// Of the slowest packets, in milliseconds; or the same share.
    package var tail = 1.0
    /// Of a rate, as a share.
    package var rate = 0.01
    /// Of what a TCP connection carries, as a share: the kernel's CUBIC is not the model's to the letter.
    package var goodput = 0.15
    /// Of the mean delay from a model that draws the same numbers, in milliseconds.
    package var replay = 0.5

    package init() {}

    func delay(_ milliseconds: Double) -> Double { max(delay.milliseconds, milliseconds * delay.share) }
    func tail(_ milliseconds: Double) -> Double { max(tail, milliseconds * delay.share) }
}
