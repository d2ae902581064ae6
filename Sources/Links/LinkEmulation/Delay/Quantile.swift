// SPDX-License-Identifier: Apache-2.0

/// Inverse distribution functions without the C library, whose results differ in the last bits between implementations.
enum Quantile {
    /// The Pareto distribution with shape 3, the smallest integer with a finite standard deviation, as in tc's table:
    /// the inverse cube root of 1 - p, by Newton's method from 1 upwards.
    static func pareto(_ probability: Double) -> Double {
        let rest = 1 - probability
        var root = 1.0
        for _ in 0..<60 {
            root *= (4 - rest * root * root * root) / 3
        }
        return root
    }

    /// The normal distribution: M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
    /// Applied Statistics 37 (1988), PPND16 without its far tail, which begins at e^-25.
    static func normal(_ probability: Double) -> Double {
        let fromMiddle = probability - 0.5
        if abs(fromMiddle) <= 0.425 {
            let r = 0.180625 - fromMiddle * fromMiddle
            return fromMiddle * polynomial(central.numerator, r) / polynomial(central.denominator, r)
        }
        let r = (-logarithm(min(probability, 1 - probability))).squareRoot() - 1.6
        let magnitude = polynomial(tail.numerator, r) / polynomial(tail.denominator, r)
        return fromMiddle < 0 ? -magnitude : magnitude
    }

    private static let central = (
        numerator: [
            3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
            4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
        ],
        denominator: [
            1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
            3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
        ]
    )
    private static let tail = (
        numerator: [
            1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
            1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
        ],
        denominator: [
            1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
            1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
        ]
    )

    private static func polynomial(_ coefficients: [Double], _ x: Double) -> Double {
        coefficients.reversed().reduce(0) { $0 * x + $1 }
    }

    /// The natural logarithm of a positive number: exponent * ln 2 + 2 artanh((m-1)/(m+1)) for the significand m.
    private static func logarithm(_ x: Double) -> Double {
        let ratio = (x.significand - 1) / (x.significand + 1)
        var power = ratio
        var sum = 0.0
        for divisor in stride(from: 1.0, through: 39, by: 2) {
            sum += power / divisor
            power *= ratio * ratio
        }
        return 2 * sum + Double(x.exponent) * 0.693147180559945309417232
    }

    /// A probability above 0 and below 1, of a random number.
    static func unit(_ random: UInt64) -> Double { (Double(random >> 12) + 0.5) * 0x1p-52 }

    /// The exponential distribution with a mean of 1.
    static func exponential(_ probability: Double) -> Double { -logarithm(1 - probability) }

    /// The lognormal distribution with a median of 1, whose logarithm has this standard deviation.
    static func logNormal(_ probability: Double, deviation: Double) -> Double {
        exponential(of: deviation * normal(probability))
    }

    /// The exponential function, by the series at a 1,024th of the argument, squared ten times.
    private static func exponential(of x: Double) -> Double {
        let part = x / 1024
        var (sum, term) = (1.0, 1.0)
        for divisor in 1...8 {
            term *= part / Double(divisor)
            sum += term
        }
        for _ in 0..<10 { sum *= sum }
        return sum
    }
}
