// SPDX-License-Identifier: Apache-2.0

extension Double {
    /// The power of a positive number with an exponent from 0 to 1. Computed by square roots, so that the result is the
    /// same on every machine, unlike pow(3).
    package func power(_ exponent: Double) -> Double {
        guard exponent < 1 else { return self }
        var (result, root, rest) = (1.0, self, exponent)
        for _ in 0..<40 {
            root = root.squareRoot()
            rest *= 2
            if rest >= 1 {
                result *= root
                rest -= 1
            }
        }
        return result
    }
}
