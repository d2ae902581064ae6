// SPDX-License-Identifier: Apache-2.0

extension BitRate {
    /// Makes a rate for display, rounded to three digits.
    package init(rounding bitsPerSecond: Double) {
        self.init(bitsPerSecond: threeDigits(bitsPerSecond))
    }
}

extension ByteCount {
    /// Makes a count for display, rounded to three digits.
    package init(rounding bytes: Double) { self.init(bytes: threeDigits(bytes)) }
}

/// Rounds a number that is not negative to a whole number with three digits before its zeros.
private func threeDigits(_ number: Double) -> UInt64 {
    var unit = 1.0
    while number / unit >= 1000 { unit *= 10 }
    return UInt64((number / unit).rounded() * unit)
}
