// SPDX-License-Identifier: Apache-2.0

/// A probability from 0 to 1, exact to twelve decimal places (the kernel's own steps are 2.3e-10).
public struct Probability: Hashable, Comparable, Sendable {
    /// The probability in units of 10^-12.
    let parts: UInt64

    /// The probability 1.
    public static let one = Probability(parts: whole)
    /// The probability 0, which is not the same as an absent figure.
    public static let zero = Probability(parts: 0)

    private init(parts: UInt64) {
        self.parts = parts
    }

    /// Makes a probability of `fraction`, clamped to 0...1 and rounded to twelve decimal places.
    public init(fraction: Double) {
        self.init(parts: UInt64((min(max(fraction, 0), 1) * Double(Self.whole)).rounded()))
    }

    /// The probability from 0 to 1.
    public var fraction: Double { Double(parts) / Double(Self.whole) }

    /// The complementary probability, 1 - p.
    public var complement: Probability { Probability(parts: Self.whole - parts) }

    /// Compares by value.
    public static func < (left: Probability, right: Probability) -> Bool {
        left.parts < right.parts
    }

    /// Parses "10 %", rounded to 10^-10 percent.
    static func parse(_ text: String) -> Result<Probability, UnreadableQuantity> {
        quantity.parse(text).map(Probability.init(parts:))
    }

    private static let whole: UInt64 = 1_000_000_000_000

    static let quantity = Quantity(
        kind: "a share",
        example: "10 %",
        units: ["%": whole / 100],
        maximum: whole,
        misspellings: ["percent": "%", "per cent": "%", "pct": "%", "%%": "%"]
    )
}

extension Probability: CustomStringConvertible {
    /// The probability in percent: "0.5 %".
    public var description: String { Self.quantity.format(parts) }
}
