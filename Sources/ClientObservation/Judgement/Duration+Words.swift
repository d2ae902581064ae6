// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension Duration {
    /// The duration for people, with three digits: "1.23 s", "250 ms", "85.3 s".
    var words: String {
        let nanoseconds = Double(nanoseconds)
        if abs(nanoseconds) < 1e6 { return "\(Self.rounded(nanoseconds / 1e3)) us" }
        if abs(nanoseconds) < 1e9 { return "\(Self.rounded(nanoseconds / 1e6)) ms" }
        return "\(Self.rounded(nanoseconds / 1e9)) s"
    }

    private static func rounded(_ value: Double) -> String {
        let places = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
        let scale = places == 0 ? 1 : places == 1 ? 10.0 : 100
        let whole = Int64((value * scale).rounded())
        guard places > 0 else { return "\(whole)" }
        let digits = String(whole.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return "\(whole < 0 ? "-" : "")\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}

/// A number with its noun: "1 connection", "2 connections".
func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(number == 1 ? noun : noun.hasSuffix("query") ? noun.dropLast() + "ies" : noun + "s")"
}
