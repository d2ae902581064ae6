// SPDX-License-Identifier: Apache-2.0

/// Parses and formats "NUMBER UNIT" exactly, as a multiple of the smallest unit.
///
/// Arithmetic is in integers, so that "14.4 kbit/s" is 14400 bit/s and never 14399.
struct Quantity: Sendable {
    /// A spelling of a unit, and its size in the smallest unit.
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
    /// A valid quantity, for messages.
    let example: String
    /// The accepted units; of several spellings with one factor, `format` uses the first.
    let units: [Unit]
    /// The largest accepted amount, in the smallest unit.
    let maximum: UInt64
    /// Frequent misspellings with the units that they mean, where the nearest spelling would be another unit.
    var misspellings: [String: String] = [:]

    /// Returns the amount in the smallest unit, rounded half up.
    func parse(_ text: String) -> Result<UInt64, UnreadableQuantity> {
        parse(text, maximum: maximum)
    }

    /// Returns the amount as `parse(_:)` does, with `maximum` as the largest accepted amount.
    func parse(_ text: String, maximum: UInt64) -> Result<UInt64, UnreadableQuantity> {
        let trimmed = text.trimmingSpaces()
        let numberEnd = trimmed.firstIndex { !$0.isASCIIDigit && $0 != "." } ?? trimmed.endIndex
        let number = trimmed[..<numberEnd]
        let unitText = String(trimmed[numberEnd...]).trimmingSpaces()
        func failure(_ reason: String, expected: String? = nil, unit: String? = nil) -> Result<
            UInt64, UnreadableQuantity
        > {
            // Messages do not repeat very long numbers.
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
            // Suggest units that differ in case and spaces only: another letter is another amount ("Tbit/s", "Mbs", "ps").
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

    /// Formats an amount in the largest unit not above it: 1500000 bit/s is "1.5 Mbit/s".
    func format(_ amount: UInt64) -> String {
        // Only decimal units represent every amount exactly.
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

/// Why a text is not a valid quantity.
struct UnreadableQuantity: Error, Equatable {
    /// The predicate of a sentence about the text: `"32" has no unit`.
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
        // Twelve decimal places are finer than any unit; further digits do not change the result.
        let places = parts.count == 2 ? parts[1].prefix(12) : ""
        let fraction = places[..<(places.lastIndex { $0 != "0" }.map(places.index(after:)) ?? places.startIndex)]
        var digits: UInt64 = 0
        var overflow = false
        for part in [whole, fraction] {
            for digit in part {
                let (tens, first) = digits.multipliedReportingOverflow(by: 10)
                let (sum, second) = tens.addingReportingOverflow(UInt64(digit.wholeNumberValue ?? 0))
                overflow = overflow || first || second
                digits = sum
            }
        }
        self.digits = digits
        scale = fraction.reduce(1) { product, _ in product * 10 }
        isTooLong = overflow
    }

    var isZero: Bool { digits == 0 && !isTooLong }

    /// Returns the product, rounded half up; nil on overflow.
    func multiplied(by factor: UInt64) -> UInt64? {
        guard !isTooLong else { return nil }
        let (high, low) = digits.multipliedFullWidth(by: factor)
        guard high < scale else { return nil }
        let (quotient, remainder) = scale.dividingFullWidth((high, low))
        return remainder >= scale - remainder ? quotient + 1 : quotient
    }
}

extension Character {
    /// Whether the character is a digit from 0 to 9; the range "0"..."9" also contains digits with combining marks.
    var isASCIIDigit: Bool { isASCII && isNumber }
}

extension String {
    /// The digits after a leading comma, as in the rest of "1,5 ms"; nil if there are none.
    fileprivate var decimalCommaFraction: String? {
        guard hasPrefix(",") else { return nil }
        let digits = dropFirst().prefix { $0.isASCIIDigit }
        return digits.isEmpty ? nil : String(digits)
    }

    /// The text for messages, truncated to 40 characters.
    var shortened: String { count > 40 ? "\(prefix(37))..." : self }

    func trimmingSpaces() -> String {
        var rest = self[...]
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
