// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration for people, with three digits: "85.3 us", "250 ms", "1.23 s", "3 min 20 s", "2 h 5 min".
    package var words: String {
        let seconds = self / .seconds(1)
        let (sign, size) = (seconds < 0 ? "-" : "", seconds.magnitude)
        if size == 0 { return "0 s" }
        if size < 0.000_999_5 { return "\(sign)\(Self.digits(size * 1e6)) us" }
        if size < 0.999_5 { return "\(sign)\(Self.digits(size * 1e3)) ms" }
        if size < 59.95 { return "\(sign)\(Self.digits(size)) s" }
        let whole = Int(size.rounded())
        if whole < 3600 { return sign + "\(whole / 60) min" + (whole % 60 > 0 ? " \(whole % 60) s" : "") }
        let minutes = whole / 60
        if minutes < 1440 { return sign + "\(minutes / 60) h" + (minutes % 60 > 0 ? " \(minutes % 60) min" : "") }
        return sign + "\(minutes / 1440) d" + (minutes % 1440 >= 60 ? " \(minutes % 1440 / 60) h" : "")
    }

    /// A number below a thousand with three digits, without zeros at the end.
    private static func digits(_ value: Double) -> String {
        let scale = value >= 99.95 ? 1.0 : value >= 9.995 ? 10 : 100
        let text = "\((value * scale).rounded() / scale)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
