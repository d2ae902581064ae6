// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Larger than any body, in bytes: sums of a few such numbers never overflow.
    static let longestBody = 1 << 50

    /// Parses a number of digits only, without a sign; nil for anything else, and for more than `limit`.
    init?(digits text: some StringProtocol, radix: Int = 10, upTo limit: Int = longestBody) {
        // Int(_:radix:) takes signs.
        guard text.utf8.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) ?? false,
            let number = Int(text, radix: radix), number <= limit
        else { return nil }
        self = number
    }
}
