// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The sending side of a bulk transfer: selects the segments to send, with SACK (RFC 6675), RACK and TLP (RFC 8985).
/// Times are in seconds.
struct TransferSender {
    private struct Segment {
        var sent: Double
        var isRetransmission = false
        var isLost = false
        var isSacked = false
    }

    private var window = CubicWindow()
    private var segments: [Segment] = []
    /// The first segment that is not yet acknowledged.
    private var acknowledged = 0
    private var inFlight = 0
    /// The segments to retransmit, in ascending order.
    private var lost: [Int] = []
    /// The segment whose acknowledgement ends the current recovery, and whether the window grows meanwhile, as it does
    /// after a timeout; nil outside of recovery.
    private var recovery: (end: Int, growsWindow: Bool)?
    private var hasReordering = false
    private var highestSacked = -1
    /// When the most recently sent of the delivered segments was sent.
    private var latestDelivered = 0.0
    private var roundTrip: (mean: Double, deviation: Double, minimum: Double)?
    private var backoff = 1.0
    private var hasProbed = false
    private var timerStart = 0.0

    /// The kernel's tcp_rto_min.
    private static let minimumTimeout = 0.2
    private static let maximumTimeout = 120.0
    private static let duplicates = 3

    /// Returns the next segment to send, and counts it as in flight; nil if the window is full.
    ///
    /// - Parameter maximum: the maximum number of segments in flight; nil for no limit but the window.
    mutating func send(at now: Double, maximum: Int?) -> Int? {
        guard Double(inFlight) < max(window.segments, 1), inFlight < maximum ?? .max else { return nil }
        while let first = lost.first {
            lost.removeFirst()
            guard first >= acknowledged, segments[first].isLost, !segments[first].isSacked else { continue }
            return resend(first, now)
        }
        if inFlight == 0 { timerStart = now }
        segments.append(Segment(sent: now))
        inFlight += 1
        return segments.count - 1
    }

    private mutating func resend(_ number: Int, _ now: Double) -> Int {
        if inFlight == 0 { timerStart = now }
        segments[number] = Segment(sent: now, isRetransmission: true)
        inFlight += 1
        return number
    }

    /// Processes an acknowledgement of all segments before `upTo` and of the segments `arrived` out of order.
    mutating func acknowledge(upTo: Int, and arrived: ArraySlice<Int>, at now: Double) {
        var news = News()
        for number in acknowledged..<max(upTo, acknowledged) { deliver(number, now, &news) }
        acknowledged = max(upTo, acknowledged)
        for number in arrived where number >= acknowledged {
            if number < highestSacked, !segments[number].isSacked, !segments[number].isRetransmission {
                hasReordering = true
            }
            highestSacked = max(highestSacked, number)
            deliver(number, now, &news)
        }
        guard news.count > 0 else { return }
        if let sample = news.roundTrip { measure(sample) }
        (backoff, hasProbed, timerStart) = (1, false, now)
        if let end = recovery?.end, acknowledged >= end { recovery = nil }
        findLost(now)
        guard recovery?.growsWindow ?? true else { return }
        window.acknowledge(
            news.count,
            upTo: acknowledged,
            next: segments.count,
            roundTrip: news.roundTrip,
            at: now
        )
    }

    /// The newly delivered segments of an acknowledgement.
    private struct News {
        var count = 0
        var roundTrip: Double?
    }

    private mutating func deliver(_ number: Int, _ now: Double, _ news: inout News) {
        let segment = segments[number]
        guard !segment.isSacked else { return }
        if !segment.isLost { inFlight -= 1 }
        segments[number].isSacked = true
        segments[number].isLost = false
        news.count += 1
        latestDelivered = max(latestDelivered, segment.sent)
        if !segment.isRetransmission { news.roundTrip = now - segment.sent }
    }

    private mutating func measure(_ sample: Double) {
        guard let old = roundTrip else { return roundTrip = (sample, sample / 2, sample) }
        let deviation = old.deviation * 0.75 + abs(sample - old.mean) * 0.25
        roundTrip = (old.mean * 0.875 + sample * 0.125, deviation, min(old.minimum, sample))
    }

    private mutating func findLost(_ now: Double) {
        guard highestSacked >= acknowledged else { return }
        let reorderingTime = hasReordering ? (roundTrip?.minimum ?? 0) / 4 : 0
        let above = segments[acknowledged...].count { $0.isSacked }
        var found = false
        for number in acknowledged..<segments.count {
            let segment = segments[number]
            guard segment.sent + reorderingTime < latestDelivered else {
                if number > highestSacked { break }
                continue
            }
            guard !segment.isSacked, !segment.isLost,
                hasReordering || segment.isRetransmission || above >= Self.duplicates
            else { continue }
            segments[number].isLost = true
            inFlight -= 1
            lost.append(number)
            found = true
        }
        guard found else { return }
        lost.sort()
        guard recovery == nil else { return }
        recovery = (segments.count, false)
        window.reduce()
    }

    /// When the timer fires; `.infinity` for never.
    var timer: Double {
        guard inFlight > 0 else { return .infinity }
        guard let roundTrip else { return timerStart + backoff }
        if !hasProbed, recovery == nil, highestSacked < acknowledged {
            return timerStart + 2 * roundTrip.mean + (inFlight == 1 ? Self.minimumTimeout : 0.002)
        }
        let timeout = max(roundTrip.mean + max(4 * roundTrip.deviation, Self.minimumTimeout), Self.minimumTimeout)
        return timerStart + min(timeout * backoff, Self.maximumTimeout)
    }

    /// Handles the timer: returns the segment to send as a tail loss probe (TLP); nil after a retransmission timeout.
    mutating func expire(at now: Double) -> Int? {
        timerStart = now
        if roundTrip != nil, !hasProbed, recovery == nil, highestSacked < acknowledged {
            hasProbed = true
            let last = segments.count - 1
            if !segments[last].isLost { inFlight -= 1 }
            return resend(last, now)
        }
        for number in acknowledged..<segments.count where !segments[number].isSacked {
            segments[number].isLost = true
        }
        lost = (acknowledged..<segments.count).filter { segments[$0].isLost }
        (inFlight, backoff, recovery) = (0, backoff * 2, (segments.count, true))
        window.collapse()
        return nil
    }
}
