// SPDX-License-Identifier: Apache-2.0

/// Parses and prints "NUMBER UNIT" texts exactly, in whole multiples of a smallest unit.
///
/// Decimal fractions are carried as integers, so "14.4 kbit/s" is 14400 bit/s and never 14399.
struct Quantity: Sendable {
    /// A spelling of a unit and how many of the smallest unit it holds.
    struct Unit: Sendable {
        let spelling: String
        let factor: UInt64

        var isPowerOfTen: Bool {
            let digits = String(factor)
            return digits.first == "1" && digits.dropFirst().allSatisfy { $0 == "0" }
        }
    }

    /// What is measured, with its article: "a rate".
    let kind: String
    /// A spelling that is right, to show beside a wrong one.
    let example: String
    /// All accepted units; the first spelling of a factor is the one printed.
    let units: [Unit]
    /// The largest accepted amount, in the smallest unit.
    let maximum: UInt64
    /// Spellings that people use for a unit although they say another; by distance they would become the wrong one.
    var misspellings: [String: String] = [:]

    /// Returns the amount in the smallest unit, rounded half up where the text is finer than that.
    func parse(_ text: String) -> Result<UInt64, UnreadableQuantity> {
        parse(text, maximum: maximum)
    }

    /// Returns the amount as `parse(_:)` does, with another largest one.
    func parse(_ text: String, maximum: UInt64) -> Result<UInt64, UnreadableQuantity> {
        let trimmed = text.trimmingSpaces()
        let numberEnd = trimmed.firstIndex { !$0.isASCIIDigit && $0 != "." } ?? trimmed.endIndex
        let number = trimmed[..<numberEnd]
        let unitText = String(trimmed[numberEnd...]).trimmingSpaces()
        func failure(_ reason: String, expected: String? = nil, unit: String? = nil) -> Result<
            UInt64, UnreadableQuantity
        > {
            // A number too long to read is too long to repeat.
            let suggestion = number.count <= 20 ? unit.map { "\(number) \($0)" } : nil
            return .failure(
                UnreadableQuantity(reason: reason, expected: expected ?? expectation, suggestion: suggestion)
            )
        }

        guard let decimal = Decimal(number) else {
            if trimmed.hasPrefix("-") { return failure("is negative") }
            return failure(
                number.isEmpty ? "does not start with a number" : "does not start with a whole number or decimal"
            )
        }
        if let fraction = unitText.decimalCommaFraction {
            let unit = unitText.drop { $0 == "," || $0.isASCIIDigit }
            let suggestion = "\(number).\(fraction) \(String(unit).trimmingSpaces())"
            return .failure(
                UnreadableQuantity(reason: "has a decimal comma", expected: expectation, suggestion: suggestion)
            )
        }
        guard !unitText.isEmpty else { return failure("has no unit", unit: exampleUnit) }
        guard let unit = units.first(where: { $0.spelling == unitText }) else {
            // Only case and spaces are forgiven: one letter more or less is another amount ("Tbit/s", "Mbs", "ps").
            let folded = unitText.lowercased().filter { !$0.isWhitespace }
            let nearest = misspellings[unitText] ?? units.first { $0.spelling.lowercased() == folded }?.spelling
            return failure("has an unknown unit \(JSON.quoted(unitText.shortened))", unit: nearest)
        }
        guard let amount = decimal.multiplied(by: unit.factor), amount <= maximum else {
            return failure("is too large", expected: "at most \(format(maximum))")
        }
        guard amount > 0 || decimal.isZero else {
            return failure("is too small", expected: "0 or at least \(format(1))")
        }
        return .success(amount)
    }

    private var exampleUnit: String? {
        example.split(separator: " ").last.map(String.init)
    }

    /// Prints an amount in the largest unit that keeps it exact and short: 1500000 bit/s as "1.5 Mbit/s".
    func format(_ amount: UInt64) -> String {
        // Only decimal units can show any amount exactly.
        let decimal = units.filter { $0.isPowerOfTen }
        let factor = decimal.map(\.factor).filter { $0 <= amount }.max() ?? decimal.map(\.factor).min() ?? 1
        let spelling = decimal.first { $0.factor == factor }?.spelling ?? ""
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: factor)
        guard rest > 0 else { return "\(whole) \(spelling)" }
        let digits = String(factor + rest).dropFirst()
        return "\(whole).\(String(digits.reversed().drop { $0 == "0" }.reversed())) \(spelling)"
    }

    var expectation: String {
        "\(kind) with its unit, such as \"\(example)\""
    }
}

/// Why a text is not the quantity it should be.
struct UnreadableQuantity: Error, Equatable {
    /// Follows the text in a sentence: `"32" has no unit`.
    let reason: String
    let expected: String
    let suggestion: String?
}

/// An unsigned decimal number as digits and a power of ten.
private struct Decimal {
    private let digits: UInt64
    private let scale: UInt64
    private let isTooLong: Bool

    init?(_ text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty, parts.count == 1 || !parts[1].isEmpty else {
            return nil
        }
        let whole = parts[0].drop { $0 == "0" }
        // Twelve places are finer than any unit here; what follows them cannot change a result.
        let places = parts.count == 2 ? parts[1].prefix(12) : ""
        let fraction = places[..<(places.lastIndex { $0 != "0" }.map(places.index(after:)) ?? places.startIndex)]
        var digits: UInt64 = 0
        var overflow = false
        for digit in whole + fraction {
            let (tens, first) = digits.multipliedReportingOverflow(by: 10)
            let (sum, second) = tens.addingReportingOverflow(UInt64(digit.wholeNumberValue ?? 0))
            overflow = overflow || first || second
            digits = sum
        }
        self.digits = digits
        scale = fraction.reduce(1) { product, _ in product * 10 }
        isTooLong = overflow
    }

    var isZero: Bool { digits == 0 && !isTooLong }

    /// The product rounded half up, or nil where it does not fit.
    func multiplied(by factor: UInt64) -> UInt64? {
        guard !isTooLong else { return nil }
        let (high, low) = digits.multipliedFullWidth(by: factor)
        guard high < scale else { return nil }
        let (quotient, remainder) = scale.dividingFullWidth((high, low))
        return remainder >= scale - remainder ? quotient + 1 : quotient
    }
}

extension Character {
    /// A digit from 0 to 9 and nothing combined with it; comparing with "0"..."9" would let that pass.
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

extension String {
    /// The digits behind a leading comma, as in the rest of "1,5 ms".
    fileprivate var decimalCommaFraction: String? {
        guard hasPrefix(",") else { return nil }
        let digits = dropFirst().prefix { $0.isASCIIDigit }
        return digits.isEmpty ? nil : String(digits)
    }

    /// The text as messages repeat it: not longer than a line can bear.
    var shortened: String { count > 40 ? "\(prefix(37))..." : self }

    func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
