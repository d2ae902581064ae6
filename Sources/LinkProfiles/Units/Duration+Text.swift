// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in nanoseconds, truncated; the nearest that 64 bits hold if it is beyond them.
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

    /// Parses a time limit in the format of timeout(1), with or without a space before the unit: "90", "90s", "1.5 h".
    public init?(limit text: String) {
        let isBare = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard case .success(let milliseconds) = Self.limit.parse(isBare ? "\(text) s" : text) else { return nil }
        self = .milliseconds(Int64(milliseconds))
    }

    private static let limit = Quantity(
        kind: "a time",
        example: "90 s",
        units: [
            .init(spelling: "ms", factor: 1), .init(spelling: "s", factor: 1000),
            .init(spelling: "m", factor: 60_000), .init(spelling: "min", factor: 60_000),
            .init(spelling: "h", factor: 3_600_000), .init(spelling: "d", factor: 86_400_000),
        ],
        maximum: 365 * 86_400_000
    )

    static let quantity = Quantity(
        kind: "a time",
        example: "100 ms",
        units: [
            .init(spelling: "ns", factor: 1), .init(spelling: "us", factor: 1000),
            .init(spelling: "ms", factor: 1_000_000), .init(spelling: "s", factor: 1_000_000_000),
            .init(spelling: "µs", factor: 1000), .init(spelling: "μs", factor: 1000),
            .init(spelling: "min", factor: 60_000_000_000),
        ],
        maximum: 3_600_000_000_000
    )
}
