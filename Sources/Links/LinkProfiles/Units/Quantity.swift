// SPDX-License-Identifier: Apache-2.0

/// Parses and formats "NUMBER UNIT" exactly, as a multiple of the smallest unit.
///
/// Arithmetic is in integers, so that "14.4 kbit/s" is 14400 bit/s and never 14399.
struct Quantity: Sendable {
    /// The measured quantity, with its article: "a rate".
    let kind: String
    /// A valid quantity, for messages.
    let example: String
    /// The accepted units, each with its size in the smallest unit; of several units with one size, `format` uses the
    /// first, or for 1 its singular.
    let units: KeyValuePairs<String, UInt64>
    /// The largest accepted amount, in the smallest unit.
    let maximum: UInt64
    /// Frequent misspellings with the units that they mean, where the nearest spelling would be another unit.
    var misspellings: [String: String] = [:]

    /// Parses `text`; returns the amount in the smallest unit, rounded half up.
    func parse(_ text: String) -> Result<UInt64, UnreadableQuantity> {
        parse(text, maximum: maximum)
    }

    /// Returns the amount as `parse(_:)` does, with `maximum` as the largest accepted amount.
    func parse(_ text: String, maximum: UInt64) -> Result<UInt64, UnreadableQuantity> {
        let trimmed = text.trimmingSpaces()
        let numberEnd = trimmed.firstIndex { !$0.isASCIIDigit && $0 != "." } ?? trimmed.endIndex
        let number = trimmed[..<numberEnd]
        let unitText = String(trimmed[numberEnd...]).trimmingSpaces()
        func failure(
            _ reason: String,
            expected: String? = nil,
            suggestion: String? = nil,
            isAboutUnit: Bool = false
        ) -> Result<UInt64, UnreadableQuantity> {
            .failure(
                UnreadableQuantity(
                    reason: reason,
                    expected: expected ?? expectation,
                    suggestion: suggestion,
                    isAboutUnit: isAboutUnit
                )
            )
        }
        // Messages do not repeat very long numbers.
        func suggestion(_ unit: String?) -> String? { number.count <= 20 ? unit.map { "\(number) \($0)" } : nil }

        guard let decimal = Decimal(number) else {
            if trimmed.hasPrefix("-") { return failure("is negative") }
            return failure("does not start with a \(number.isEmpty ? "number" : "whole number or decimal")")
        }
        if let fraction = unitText.decimalCommaFraction {
            let unit = String(unitText.drop { $0 == "," || $0.isASCIIDigit }).trimmingSpaces()
            return failure("has a decimal comma", suggestion: "\(number).\(fraction) \(unit)")
        }
        guard !unitText.isEmpty else {
            let unit = example.split(separator: " ").last.map(String.init)
            return failure("has no unit", suggestion: suggestion(unit), isAboutUnit: true)
        }
        guard let factor = units.first(where: { $0.key == unitText })?.value else {
            // Suggest only units that differ in case and spaces: a different letter may mean a different amount
            // ("Tbit/s", "ps").
            let folded = unitText.lowercased().filter { !$0.isWhitespace }
            let nearest = misspellings[unitText] ?? units.first { $0.key.lowercased() == folded }?.key
            let unknown = "has an unknown unit \(JSON.quoted(unitText.shortened))"
            return failure(unknown, suggestion: suggestion(nearest), isAboutUnit: true)
        }
        guard let amount = decimal.multiplied(by: factor), amount <= maximum else {
            return failure("is too large", expected: "at most \(format(maximum))")
        }
        guard amount > 0 || decimal.isZero else {
            return failure("is too small", expected: "0 or at least \(format(1))")
        }
        return .success(amount)
    }

    /// Formats an amount in the largest decimal unit that is not larger than the amount: 1500000 bit/s is "1.5 Mbit/s".
    func format(_ amount: UInt64) -> String {
        // Only decimal units represent every amount exactly.
        let decimal = units.filter { $0.value.isPowerOfTen }
        let factor = decimal.map(\.value).filter { $0 <= amount }.max() ?? decimal.map(\.value).min() ?? 1
        let plural = decimal.first { $0.value == factor }?.key ?? ""
        let singular = units.first { amount == factor && $0.value == factor && "\($0.key)s" == plural }?.key
        let spelling = singular ?? plural
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: factor)
        guard rest > 0 else { return "\(whole) \(spelling)" }
        let digits = String(factor + rest).dropFirst()
        return "\(whole).\(String(digits.reversed().drop { $0 == "0" }.reversed())) \(spelling)"
    }

    var expectation: String { "\(kind) with its unit, such as \"\(example)\"" }
}

struct UnreadableQuantity: Error, Equatable {
    /// The predicate of a sentence about the text: `"32" has no unit`.
    let reason: String
    let expected: String
    let suggestion: String?
    /// Whether the unit is missing or unknown.
    var isAboutUnit = false
}

/// An unsigned decimal number as digits and a power of ten.
private struct Decimal {
    /// The digits as one number; nil if it does not fit 64 bits.
    private let digits: UInt64?
    private let scale: UInt64

    init?(_ text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        // Twelve decimal places are finer than any unit; further digits do not change the result.
        var fraction = parts.count == 2 ? parts[1].prefix(12) : ""
        while fraction.last == "0" { fraction.removeLast() }
        digits = UInt64(parts[0] + fraction)
        scale = fraction.reduce(1) { product, _ in product * 10 }
    }

    var isZero: Bool { digits == 0 }

    /// Returns the product, rounded half up; nil on overflow.
    func multiplied(by factor: UInt64) -> UInt64? {
        guard let digits else { return nil }
        let (high, low) = digits.multipliedFullWidth(by: factor)
        guard high < scale else { return nil }
        let (quotient, remainder) = scale.dividingFullWidth((high, low))
        return remainder >= scale - remainder ? quotient + 1 : quotient
    }
}

extension UInt64 {
    fileprivate var isPowerOfTen: Bool {
        String(self).first == "1" && String(self).dropFirst().allSatisfy { $0 == "0" }
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
    package var shortened: String { count > 40 ? "\(prefix(37))..." : self }

    func trimmingSpaces() -> String {
        var rest = self[...]
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
