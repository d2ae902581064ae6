// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Student's t distribution: the error of the mean of a few normally distributed values, in standard errors that are
/// estimated from the same values.
package struct StudentDistribution: Sendable {
    /// The number of values less one.
    package let degreesOfFreedom: Int

    /// The distribution for one value more than `degreesOfFreedom`.
    package init(degreesOfFreedom: Int) {
        self.degreesOfFreedom = degreesOfFreedom
    }

    /// The absolute value that t exceeds with a probability of `error` (two-sided).
    package func limit(error: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        while outside(high) > error { high *= 2 }
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if outside(middle) > error { low = middle } else { high = middle }
        }
        return high
    }

    /// The probability that the absolute value of t exceeds `distance`. Integrates by Simpson's rule with the
    /// substitution t = sqrt(n) tan(angle), by which the density is a power of the cosine.
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
