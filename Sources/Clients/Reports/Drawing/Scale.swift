// SPDX-License-Identifier: Apache-2.0

/// A linear scale from zero, with ticks at round numbers.
struct Scale {
    /// The greatest value.
    let top: Double
    /// The distance between two ticks.
    let step: Double

    /// Makes a scale up to at least `greatest`, with at most `count` ticks above zero, at least `minimum` apart.
    init(_ greatest: Double, count: Int, minimum: Double = 0) {
        step = max(Self.round(max(greatest, 1e-9) / Double(count)), minimum)
        top = max((greatest / step - 1e-9).rounded(.up), 1) * step
    }

    /// The position of a value: 0 at the bottom, 1 at the top.
    func share(_ value: Double) -> Double { min(max(value / top, 0), 1) }

    /// The ticks without zero.
    var ticks: [Double] { (1...max(Int((top / step).rounded()), 1)).map { Double($0) * step } }

    /// The least number of the form 1, 2 or 5 times a power of ten that is not less than `value`.
    static func round(_ value: Double) -> Double {
        var power = 1.0
        while power < value { power *= 10 }
        while power / 10 >= value { power /= 10 }
        return [power / 10, power / 5, power / 2, power].first { $0 >= value * (1 - 1e-9) } ?? power
    }
}

/// Maps times to horizontal positions in a plot.
struct TimeScale {
    let begin: Duration
    let end: Duration

    /// The position of a time, in per cent of the width.
    func percent(_ time: Duration) -> Double {
        let length = end - begin
        guard length > .zero else { return 0 }
        return min(max((time - begin) / length, 0), 1) * 100
    }

    /// The position in a shape, whose width is 1000.
    func x(_ time: Duration) -> String { (percent(time) * 10).figure }

    /// The position as an attribute.
    func position(_ time: Duration) -> String { percent(time).figure + "%" }

    /// The width of a time from `start` to `end` as an attribute.
    func width(_ start: Duration, _ end: Duration) -> String { max(percent(end) - percent(start), 0).figure + "%" }

    /// Round times, at most `count`.
    func ticks(_ count: Int) -> [Duration] {
        let seconds = max((end - begin) / .seconds(1), 1e-6)
        let step = Self.step(seconds / Double(count))
        let first = Int(((begin / .seconds(1)) / step).rounded(.up))
        let last = Int(((self.end / .seconds(1)) / step).rounded(.down))
        guard first <= last else { return [] }
        return (first...last).map { .seconds(Double($0) * step) }
    }

    /// A step of at least `seconds` that is round in seconds, minutes, hours or days.
    private static func step(_ seconds: Double) -> Double {
        if seconds <= 10 { return Scale.round(seconds) }
        let steps: [Double] = [15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
        return steps.first { $0 >= seconds } ?? (seconds / 86400).rounded(.up) * 86400
    }
}

extension Double {
    /// The number with at most four decimal places.
    var figure: String {
        let scaled = (self * 10_000).rounded()
        guard scaled.magnitude < 1e15 else { return "0" }
        let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: 10_000)
        let sign = scaled < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 4 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }

    /// The number with about three digits and an SI prefix: "1.5 k".
    var prefixed: String {
        let prefixes: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")]
        let (factor, prefix) = prefixes.first { magnitude >= $0.0 * 0.9995 } ?? (1, "")
        let value = self / factor
        let digits = value.magnitude >= 99.95 ? 1.0 : value.magnitude >= 9.995 ? 10 : 100
        return ((value * digits).rounded() / digits).figure + " " + prefix
    }
}

extension Int {
    /// The number with a noun: "1 request", "2 requests".
    func of(_ thing: String) -> String { self == 1 ? "1 \(thing)" : "\(self) \(thing)s" }
}
