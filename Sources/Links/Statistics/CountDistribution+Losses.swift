// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension CountDistribution {
    /// The distribution of the number of losses among `packets` packets by a Gilbert-Elliott chain, which starts in the
    /// good state and takes a step after each packet.
    ///
    /// Let p(k) be the probability of k losses. Its generating function, the sum of p(k) z^k, follows from the
    /// `packets`-th power of a two-by-two matrix: a step of the chain, with a factor z for a loss. Its values at the
    /// roots of unity are the discrete Fourier transform of p, which is inverted.
    ///
    /// - Parameters:
    ///   - toBad: the probability of a step from the good to the bad state.
    ///   - toGood: the probability of a step from the bad to the good state.
    ///   - lossInBad: the probability of loss in the bad state.
    ///   - lossInGood: the probability of loss in the good state.
    package static func losses(
        of packets: Int,
        toBad: Double,
        toGood: Double,
        lossInBad: Double = 1,
        lossInGood: Double = 0
    ) -> CountDistribution {
        // Leaves out counts of more than 24 deviations above the mean, whose probability is negligible.
        let share = (lossInGood * toGood + lossInBad * toBad) / (toBad + toGood)
        let correlation = max(1 - toBad - toGood, 0)
        let deviation = (share * Double(packets) * (1 + correlation) / (1 - correlation)).squareRoot()
        let maximum = min(packets, Int(share * Double(packets) + 24 * deviation) + 40)

        // An even number of roots: all except 1 and -1 are in conjugate pairs, whose sums are conjugate, too.
        let half = maximum / 2 + 1
        let roots = (0..<2 * half).map { index in
            let angle = Double.pi * Double(index) / Double(half)
            return Complex(real: cos(angle), imaginary: sin(angle))
        }
        let sums = (0...half).map { index in
            let inGood = Complex(real: 1 - lossInGood) + roots[index] * lossInGood
            let inBad = Complex(real: 1 - lossInBad) + roots[index] * lossInBad
            let step = Matrix(inGood * (1 - toBad), inGood * toBad, inBad * toGood, inBad * (1 - toGood))
            let steps = step.power(packets)
            return (steps.a + steps.b) * (index == 0 || index == half ? 1 : 2)
        }
        let probabilities = (0...maximum).map { count in
            var total = 0.0
            var angle = 0
            for sum in sums {
                total += sum.real * roots[angle].real + sum.imaginary * roots[angle].imaginary
                angle += count
                if angle >= roots.count { angle -= roots.count }
            }
            return total / Double(roots.count)
        }
        return CountDistribution(first: 0, probabilities: probabilities)
    }

    private struct Complex {
        var real: Double
        var imaginary = 0.0

        static func + (left: Complex, right: Complex) -> Complex {
            Complex(real: left.real + right.real, imaginary: left.imaginary + right.imaginary)
        }

        static func * (left: Complex, right: Complex) -> Complex {
            Complex(
                real: left.real * right.real - left.imaginary * right.imaginary,
                imaginary: left.real * right.imaginary + left.imaginary * right.real
            )
        }

        static func * (left: Complex, right: Double) -> Complex {
            Complex(real: left.real * right, imaginary: left.imaginary * right)
        }
    }

    /// A matrix with the rows (a, b) and (c, d).
    private struct Matrix {
        static let identity = Matrix(Complex(real: 1), Complex(real: 0), Complex(real: 0), Complex(real: 1))

        var a, b, c, d: Complex

        init(_ a: Complex, _ b: Complex, _ c: Complex, _ d: Complex) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }

        static func * (left: Matrix, right: Matrix) -> Matrix {
            Matrix(
                left.a * right.a + left.b * right.c,
                left.a * right.b + left.b * right.d,
                left.c * right.a + left.d * right.c,
                left.c * right.b + left.d * right.d
            )
        }

        func power(_ exponent: Int) -> Matrix {
            var (result, square, rest) = (Matrix.identity, self, exponent)
            while rest > 0 {
                if rest % 2 == 1 { result = result * square }
                square = square * square
                rest /= 2
            }
            return result
        }
    }
}
