// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The rate of a direction's bottleneck, from the times at which it delivered packets.
///
/// While a queue stands before it, a bottleneck sends packet after packet, so that windows of packets have one rate. A
/// steady rate without a queue is that of the sender, and tells only what the link can do at least.
package struct RateFit: Sendable {
    /// The rate in bits a second; nil if nothing saturated the link.
    package var rate: Estimate?
    /// The rate that the link had at least, in bits a second.
    package var atLeast = 0.0
    /// The share of all bytes that passed at the rate.
    package var share = 0.0
    /// The share that passed near the rate, of the bytes that waited in a queue; nil if these are too few to tell.
    package var constancy: Double?
    /// The time by which the queue lengthened round trips, in seconds; nil if round trips under load are not known.
    package var standing: Double?
    /// The most that the queue held, in seconds, where it overflowed.
    package var queue: Estimate?

    /// Whether the link has other rates, too.
    package var isChanging: Bool { constancy.map { $0 < Self.minimumConstancy } ?? false }

    private struct Window {
        let rate: Double
        let bytes: Int64
        /// The time in seconds.
        let time: Double
        /// The marks: at most one for eight packets.
        let marks: Int
        /// The shorter one of those at its start and its end.
        let trip: Double?
    }

    /// Rates that differ by so much, up or down, are one.
    private static let minimumWidth = 0.02
    /// The length of a window, as a multiple of the jitter's width: then jitter moves its rate by a tenth or a fifth.
    private static let lengths = [10.0, 5]
    /// A link of one rate has more constancy.
    private static let minimumConstancy = 0.75

    /// - Parameters:
    ///   - base: the round trip of an idle link, in seconds.
    ///   - spread: how much round trips vary on an idle link, in seconds.
    ///   - isDirect: whether the times are those of the packets themselves, and not of acknowledgements, which have the
    ///     jitter of their way back.
    init?(_ transfer: Transfer, base: Double?, spread: Double, isDirect: Bool) {
        let marks = transfer.marks
        let base = base ?? marks.compactMap(\.trip).min()
        // Packets that jitter delivers together passed the bottleneck at any time within its spread.
        atLeast = 0
        for length in Self.lengths + [0] {
            let windows = Self.windows(marks, 4, longerThan: length * spread)
            atLeast = windows.reduce(atLeast) { max($0, Double(8 * $1.bytes) / ($1.time + 2 * spread)) }
        }
        guard atLeast > 0 else { return nil }
        let (narrow, wide): ((Double, Int64), (Double, Int64)) = ((0, 3), (spread, 5))
        for (width, part) in isDirect ? [narrow, wide] : [wide] {
            for length in Self.lengths {
                // A few packets together, or more: networks deliver some in bunches.
                for span in [1, 4, 16] where rate == nil {
                    let windows = Self.windows(marks, span, longerThan: length * width)
                    guard let steady = Self.steady(windows, width, part: part) else { continue }
                    fit(steady, of: transfer, base: base, spread: spread, isWide: width > 0)
                }
            }
        }
        guard let rate, let base else { return }
        constancy = Self.constancy(marks, base, spread, rate: rate.value)
        // A full queue lengthens all round trips alike; losses without one come at any.
        let waits = transfer.tripsAtLoss.map { $0 - base }.sorted()
        if waits.count >= 3, waits.midpointQuantile(0.25) > 0.75 * waits.midpointQuantile(0.75) {
            queue = Estimate(medianOf: waits)
        }
    }

    private mutating func fit(_ steady: [Window], of transfer: Transfer, base: Double?, spread: Double, isWide: Bool) {
        guard let base else { return }
        let (all, duration) = Self.total(steady)
        let queued = Self.queued(steady, base, spread, rate: all / duration)
        let (bits, time) = Self.total(queued)
        guard queued.count >= 3, bits * 2 > all else { return }
        standing = queued.compactMap { window in window.trip.map { $0 - base } }.sorted().midpointQuantile(0.5)
        // Windows that follow each other share their ends: jitter moves the first and the last packet only.
        let ends = 0.4 * spread / time
        let deviation = queued.map(\.rate).deviation / Double(queued.count).squareRoot()
        rate = Estimate(bits / time, deviation: max(deviation, isWide ? ends * bits / time : 0))
        share = bits / Double(max(8 * transfer.bytes, 1))
    }

    /// The windows during which a queue stood before a bottleneck of such a rate.
    private static func queued(_ windows: [Window], _ base: Double, _ spread: Double, rate: Double) -> [Window] {
        // Two full frames take this time themselves, and jitter does by itself where packets wait for a late one.
        let idle = base + 2 * 1514 * 8 / rate + max(0.05 * base, 2.5 * spread)
        return windows.filter { $0.trip.map { $0 > idle } ?? false }
    }

    /// The share of the bytes that passed within a fifth of the rate, of those that waited in a queue.
    private static func constancy(
        _ marks: [Transfer.Mark],
        _ base: Double,
        _ spread: Double,
        rate: Double
    ) -> Double? {
        // Networks that deliver packets in bunches do so for less than a tenth of a second. Acknowledgements wait in the
        // other direction's queue: they are short.
        let windows = queued(Self.windows(marks, 4, longerThan: max(10 * spread, 0.1)), base, spread, rate: rate)
            .filter { $0.bytes > 8 * 200 * Int64($0.marks) }
        let near = windows.filter { abs($0.rate - rate) < 0.2 * rate }
        return windows.count >= 5 ? total(near).bits / total(windows).bits : nil
    }

    private static func total(_ windows: [Window]) -> (bits: Double, time: Double) {
        windows.reduce((0, 0)) { ($0.bits + Double(8 * $1.bytes), $0.time + $1.time) }
    }

    /// Windows of as many marks, or more where that takes less than a time: each begins where the one before it ends.
    private static func windows(_ marks: [Transfer.Mark], _ span: Int, longerThan minimum: Double) -> [Window] {
        var windows: [Window] = []
        var first = 0
        for index in marks.indices.dropFirst() {
            // A clock that was set back.
            if marks[index].time < marks[first].time { first = index }
            guard index - first >= span else { continue }
            let (start, end) = (marks[first], marks[index])
            let (bytes, time) = (end.bytes - start.bytes, Double(end.time - start.time) / 1e9)
            guard time > minimum else { continue }
            let trip = start.trip.flatMap { start in end.trip.map { min(start, $0) } }
            windows.append(
                Window(rate: Double(8 * bytes) / time, bytes: bytes, time: time, marks: index - first, trip: trip)
            )
            first = index
        }
        return windows
    }

    /// The windows of the rate at which the most bytes passed; nil if these are less than such a part of all.
    private static func steady(_ windows: [Window], _ spread: Double, part: Int64) -> [Window]? {
        let sorted = windows.sorted { $0.rate < $1.rate }
        var (start, bytes, maximum) = (0, Int64(0), Int64(0))
        var found = 0..<0
        for (index, window) in sorted.enumerated() {
            bytes += window.bytes
            let width = max(minimumWidth, spread / window.time)
            while sorted[start].rate < window.rate * (1 - 2 * width) {
                bytes -= sorted[start].bytes
                start += 1
            }
            if bytes > maximum { (maximum, found) = (bytes, start..<index + 1) }
        }
        let all = windows.reduce(0) { $0 + $1.bytes }
        return found.count >= 5 && maximum * part >= all ? Array(sorted[found]) : nil
    }
}
