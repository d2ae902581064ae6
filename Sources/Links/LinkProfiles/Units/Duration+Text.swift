// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in nanoseconds, truncated, and clamped to the range of 64 bits.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond || isOver ? seconds < 0 ? .min : .max : sum
    }

    /// The duration in the format of profiles: "100 ms", "1.5 s", "250 us".
    public var text: String {
        guard nanoseconds != 0 else { return "0 ms" }
        let text = Self.quantity.format(UInt64(nanoseconds.magnitude))
        return nanoseconds < 0 ? "-" + text : text
    }

    /// Parses a duration in the format of profiles: "100 ms"; nil for anything else.
    package init?(parsing text: String) {
        guard case .success(let nanoseconds) = Self.quantity.parse(text) else { return nil }
        self = .nanoseconds(Int64(nanoseconds))
    }

    /// Parses a time limit in the format of timeout(1), with or without a space before the unit: "90", "90s", "1.5 h".
    public init?(limit text: String) {
        let isBare = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard case .success(let milliseconds) = Self.limit.parse(isBare ? "\(text) s" : text) else { return nil }
        self = .milliseconds(Int64(milliseconds))
    }

    /// The time limit that a text with a misspelt unit means: "10 min" for "10minutes"; nil if it is not known.
    package static func limit(nearestTo text: String) -> String? {
        guard case .failure(let error) = limit.parse(text) else { return nil }
        return error.suggestion
    }

    private static let limit = Quantity(
        kind: "a time",
        example: "90 s",
        units: ["ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000],
        maximum: 365 * 86_400_000,
        misspellings: misspellings.merging(["hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d"]) { $1 }
    )

    static let quantity = Quantity(
        kind: "a time",
        example: "100 ms",
        units: [
            "ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000, "µs": 1000, "μs": 1000,
            "min": 60_000_000_000,
        ],
        maximum: 3_600_000_000_000,
        misspellings: misspellings
    )

    /// Times for which something waits, where a number without a unit means seconds.
    static let wait = Quantity(
        kind: quantity.kind,
        example: "5 s",
        units: quantity.units,
        maximum: quantity.maximum,
        misspellings: misspellings
    )

    private static let misspellings = [
        "msec": "ms", "msecs": "ms", "millis": "ms", "millisecond": "ms", "milliseconds": "ms", "usec": "us",
        "microseconds": "us", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min",
        "minutes": "min",
    ]
}

extension Duration {
    /// The duration for display, below a minute with three digits: "85.3 us", "250 ms", "1.23 s", "3 min 20 s", "2 h 5
    /// min".
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

    /// Formats a number below 1000 with three significant digits, without trailing zeros.
    private static func digits(_ value: Double) -> String {
        let scale = value >= 99.95 ? 1.0 : value >= 9.995 ? 10 : 100
        let text = "\((value * scale).rounded() / scale)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
