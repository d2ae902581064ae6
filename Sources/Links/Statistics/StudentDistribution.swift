// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Student's t: how far the mean of few normal values lies from the true one, in deviations that are estimated from them.
package struct StudentDistribution: Sendable {
    /// The number of values less one.
    package let degreesOfFreedom: Int

    /// The distribution for one value more than `degreesOfFreedom`.
    package init(degreesOfFreedom: Int) {
        self.degreesOfFreedom = degreesOfFreedom
    }

    /// The distance from zero, on either side, that is exceeded with a probability of `error`.
    package func limit(error: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        while outside(high) > error { high *= 2 }
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if outside(middle) > error { low = middle } else { high = middle }
        }
        return high
    }

    /// The probability of a value farther from zero than `distance`, by Simpson's rule over the angle in which the
    /// density is a power of the cosine: t = sqrt(n) tan(angle).
    func outside(_ distance: Double) -> Double {
        let degrees = Double(degreesOfFreedom)
        let start = atan(distance / degrees.squareRoot())
        let steps = 200
        let width = (Double.pi / 2 - start) / Double(steps)
        var sum = 0.0
        for step in 0...steps {
            let weight = step == 0 || step == steps ? 1.0 : step.isMultiple(of: 2) ? 2 : 4
            sum += weight * pow(max(cos(start + Double(step) * width), 0), degrees - 1)
        }
        let scale = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / Double.pi.squareRoot()
        return 2 * scale * sum * width / 3
    }
}
