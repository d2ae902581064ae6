// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The rate of a direction's bottleneck, from the times at which it delivered packets.
///
/// A bottleneck with a queue sends packets back to back, so that all windows of packets have the link's rate. A steady
/// rate without a queue is the sender's, and only a lower bound of the link's.
package struct RateFit: Sendable {
    /// The link's rate in bits a second; nil if no transfer saturated the link.
    package var rate: Estimate?
    /// A lower bound of the link's rate, in bits a second.
    package var atLeast = 0.0
    /// The share of all bytes that passed at `rate` while a queue stood.
    package var share = 0.0
    /// The share of the queued bytes that passed near `rate`; nil if too few bytes were queued.
    package var constancy: Double?
    /// The median time by which the queue lengthened round trips, in seconds; nil if round trips under load are not
    /// known.
    package var standing: Double?
    /// The capacity of the queue as a delay in seconds; nil if the queue did not overflow.
    package var queue: Estimate?

    /// Whether the link's rate changes: too few of the queued bytes passed near `rate`.
    package var isChanging: Bool { constancy.map { $0 < Self.minimumConstancy } ?? false }

    private struct Window {
        let rate: Double
        let bytes: Int64
        /// The duration in seconds.
        let time: Double
        /// The number of marks in the window; a transfer has one mark per eight packets.
        let marks: Int
        /// The shorter of the round trips at the window's start and end, in seconds; nil if either is unknown.
        let trip: Double?
    }

    /// The relative difference, up or down, within which rates count as equal.
    private static let minimumWidth = 0.02
    /// The lengths of windows to try, as multiples of the jitter's width: jitter then changes a window's rate by a
    /// tenth or a fifth.
    private static let lengths = [10.0, 5]
    /// The least ``constancy`` of a link whose rate does not change.
    private static let minimumConstancy = 0.75

    /// - Parameters:
    ///   - base: the round trip of an idle link, in seconds.
    ///   - spread: the width of the variation of round trips on an idle link, in seconds.
    ///   - isDirect: whether the times are arrival times of the packets themselves, and not of acknowledgements, which
    ///     have the jitter of the opposite direction.
    init?(_ transfer: Transfer, base: Double?, spread: Double, isDirect: Bool) {
        let marks = transfer.marks
        let base = base ?? marks.compactMap(\.trip).min()
        // Jitter may deliver together packets that passed the bottleneck apart: adds the spread to the window at both
        // ends.
        atLeast = 0
        for length in Self.lengths + [0] {
            let windows = Self.windows(marks, 4, longerThan: length * spread)
            atLeast = windows.reduce(atLeast) { max($0, Double(8 * $1.bytes) / ($1.time + 2 * spread)) }
        }
        guard atLeast > 0 else { return nil }
        let (narrow, wide): ((Double, Int64), (Double, Int64)) = ((0, 3), (spread, 5))
        for (width, part) in isDirect ? [narrow, wide] : [wide] {
            for length in Self.lengths {
                // Windows of few marks, then of more: some networks deliver packets in bunches.
                for span in [1, 4, 16] where rate == nil {
                    let windows = Self.windows(marks, span, longerThan: length * width)
                    guard let steady = Self.steady(windows, width, part: part) else { continue }
                    fit(steady, of: transfer, base: base, spread: spread, isWide: width > 0)
                }
            }
        }
        guard let rate, let base else { return }
        constancy = Self.constancy(marks, base, spread, rate: rate.value)
        // At a full queue, all losses happen at similar round trips; other losses happen at any round trip.
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
        // Consecutive windows share their ends: only the jitter of the first and the last packet changes the total
        // time.
        let ends = 0.4 * spread / time
        let deviation = queued.map(\.rate).deviation / Double(queued.count).squareRoot()
        rate = Estimate(bits / time, deviation: max(deviation, isWide ? ends * bits / time : 0))
        share = bits / Double(max(8 * transfer.bytes, 1))
    }

    /// The windows during which packets waited in a queue before a bottleneck of `rate` bits a second.
    private static func queued(_ windows: [Window], _ base: Double, _ spread: Double, rate: Double) -> [Window] {
        // The longest round trip without a queue: the sending time of two full frames, and the jitter of packets that
        // wait for a late one.
        let idle = base + 2 * 1514 * 8 / rate + max(0.05 * base, 2.5 * spread)
        return windows.filter { $0.trip.map { $0 > idle } ?? false }
    }

    /// The share of the queued bytes that passed at a rate within a fifth of `rate`; nil with fewer than five windows.
    private static func constancy(
        _ marks: [Transfer.Mark],
        _ base: Double,
        _ spread: Double,
        rate: Double
    ) -> Double? {
        // Windows longer than the bunches in which some networks deliver packets, which span less than 0.1 s. Leaves
        // out windows of short packets: acknowledgements, which wait in the opposite direction's queue.
        let windows = queued(Self.windows(marks, 4, longerThan: max(10 * spread, 0.1)), base, spread, rate: rate)
            .filter { $0.bytes > 8 * 200 * Int64($0.marks) }
        let near = windows.filter { abs($0.rate - rate) < 0.2 * rate }
        return windows.count >= 5 ? total(near).bits / total(windows).bits : nil
    }

    private static func total(_ windows: [Window]) -> (bits: Double, time: Double) {
        windows.reduce((0, 0)) { ($0.bits + Double(8 * $1.bytes), $0.time + $1.time) }
    }

    /// Consecutive windows of at least `span` marks that last longer than `minimum` seconds; each starts where the
    /// previous one ends.
    private static func windows(_ marks: [Transfer.Mark], _ span: Int, longerThan minimum: Double) -> [Window] {
        var windows: [Window] = []
        var first = 0
        for index in marks.indices.dropFirst() {
            // The clock was set back: starts a new window.
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

    /// The windows of the rate at which the most bytes passed; nil if fewer than five, or with fewer than 1/`part` of
    /// all bytes.
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
