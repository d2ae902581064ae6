// SPDX-License-Identifier: Apache-2.0

/// The rate of a direction's bottleneck, from the times at which it delivered packets.
///
/// While a queue stands before it, a bottleneck sends packet after packet, so that windows of packets have one rate. A
/// steady rate without a queue is that of the sender, and tells only what the link can do at least.
package struct RateFit: Sendable {
    /// In bits a second; nil if nothing saturated the link.
    package var rate: Estimate?
    /// The rate that the link had at least, in bits a second.
    package var atLeast = 0.0
    /// The share of all bytes that passed at the rate.
    package var share = 0.0
    /// How much the queue lengthened round trips, in seconds; nil if round trips under load are not known.
    package var standing: Double?
    /// The most that the queue held, in seconds, where it overflowed.
    package var queue: Estimate?

    private struct Window {
        let rate: Double
        let bytes: Int64
        /// In seconds.
        let time: Double
        let trip: Double?
    }

    /// Rates that differ by so much, up or down, are one.
    private static let leastWidth = 0.02
    private static let mostWidth = 0.3

    /// - Parameters:
    ///   - base: the round trip of an idle link, in seconds.
    ///   - spread: how much round trips vary on an idle link, in seconds.
    ///   - isDirect: whether the times are those of the packets themselves, and not of acknowledgements, which have the
    ///     jitter of their way back.
    init?(_ transfer: Transfer, base: Double?, spread: Double, isDirect: Bool) {
        let marks = transfer.marks
        let base = base ?? marks.compactMap(\.trip).min()
        // A few packets together, or more, where jitter moves each.
        let windows = [1, 4, 16].map { Self.windows(marks, $0) }.filter { $0.count >= 5 }
        atLeast = windows.prefix(2).last.flatMap { $0.map(\.rate).max() } ?? 0
        guard atLeast > 0 else { return nil }
        let (narrow, wide): ((Double, Int64), (Double, Int64)) = ((0, 3), (spread, 5))
        for (spread, part) in isDirect ? [narrow, wide] : [wide] where rate == nil {
            for windows in windows where rate == nil {
                guard let steady = Self.steady(windows, spread, part: part) else { continue }
                fit(steady, of: transfer, base: base, spread: spread)
            }
        }
        guard rate != nil, let base else { return }
        // A full queue lengthens all round trips alike; losses without one come at any.
        let waits = transfer.tripsAtLoss.map { $0 - base }.sorted()
        if waits.count >= 3, waits.quantile(0.25) > 0.75 * waits.quantile(0.75) {
            queue = Estimate(medianOf: waits)
        }
    }

    private mutating func fit(_ steady: [Window], of transfer: Transfer, base: Double?, spread: Double) {
        let (bytes, time) = steady.reduce((0.0, 0.0)) { ($0.0 + Double($1.bytes), $0.1 + $1.time) }
        // Over windows that follow each other, jitter moves the first and the last packet only.
        let found = 8 * bytes / time
        let waits = steady.compactMap { window in base.flatMap { base in window.trip.map { $0 - base } } }.sorted()
        standing = waits.isEmpty ? nil : waits.quantile(0.5)
        // Two full frames at least, or it may be the time of the packets themselves.
        guard let standing, standing > max(2 * 1514 * 8 / found, 0.05 * (base ?? 0), spread / 2) else { return }
        rate = Estimate(found, deviation: steady.map(\.rate).deviation / Double(steady.count).squareRoot())
        share = bytes / Double(max(transfer.bytes, 1))
    }

    private static func windows(_ marks: [Transfer.Mark], _ span: Int) -> [Window] {
        stride(from: span, to: marks.count, by: span).compactMap { index in
            let (start, end) = (marks[index - span], marks[index])
            guard end.time > start.time else { return nil }
            let (bytes, time) = (end.bytes - start.bytes, Double(end.time - start.time) / 1e9)
            return Window(rate: Double(8 * bytes) / time, bytes: bytes, time: time, trip: end.trip)
        }
    }

    /// The windows of the rate at which the most bytes passed; nil if these are less than such a part of all.
    private static func steady(_ windows: [Window], _ spread: Double, part: Int64) -> [Window]? {
        let sorted = windows.sorted { $0.rate < $1.rate }
        var (start, bytes, most) = (0, Int64(0), Int64(0))
        var found = 0..<0
        for (index, window) in sorted.enumerated() {
            bytes += window.bytes
            let width = max(leastWidth, spread / window.time)
            guard width <= mostWidth else { continue }
            while sorted[start].rate < window.rate * (1 - 2 * width) {
                bytes -= sorted[start].bytes
                start += 1
            }
            if bytes > most { (most, found) = (bytes, start..<index + 1) }
        }
        let all = windows.reduce(0) { $0 + $1.bytes }
        return found.count >= 5 && most * part >= all ? Array(sorted[found]) : nil
    }
}
