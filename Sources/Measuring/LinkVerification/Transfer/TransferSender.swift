// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// The sending side of a bulk transfer: selects the segments to send, with SACK (RFC 6675), RACK and TLP (RFC 8985).
/// Times are in nanoseconds.
struct TransferSender {
    private struct Segment {
        var sent: Int64
        var isRetransmission = false
        var isLost = false
        var isSacked = false
    }

    private var window = CongestionWindow(.cubic)
    private var slowStart = SlowStartExit()
    private var times = RoundTripTimes()
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
    private var latestDelivered: Int64 = 0
    private var backoff: Int64 = 1
    private var hasProbed = false
    private var timerStart: Int64 = 0

    /// The kernel's tcp_rto_min, the shortest wait for a probe, and TCP_RTO_MAX.
    private static let shortestTimeout: Int64 = 200_000_000
    private static let shortestProbe: Int64 = 2_000_000
    private static let longestTimeout: Int64 = 120_000_000_000
    private static let largestBackoff: Int64 = 1 << 10
    private static let duplicates = 3

    /// Returns the next segment to send, and counts it as in flight; nil if the window is full.
    ///
    /// - Parameter maximum: the maximum number of segments in flight; nil for no limit but the window.
    mutating func send(at now: Int64, maximum: Int?) -> Int? {
        guard inFlight < window.size, inFlight < maximum ?? .max else { return nil }
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

    private mutating func resend(_ number: Int, _ now: Int64) -> Int {
        if inFlight == 0 { timerStart = now }
        segments[number] = Segment(sent: now, isRetransmission: true)
        inFlight += 1
        return number
    }

    /// Processes an acknowledgement of all segments before `upTo` and of the segments `arrived` out of order.
    mutating func acknowledge(upTo: Int, and arrived: ArraySlice<Int>, at now: Int64) {
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
        if let sample = news.roundTrip { times.add(sample) }
        (backoff, hasProbed, timerStart) = (1, false, now)
        if let end = recovery?.end, acknowledged >= end { recovery = nil }
        findLost(now)
        guard recovery?.growsWindow ?? true else { return }
        if window.isInSlowStart, let sample = news.roundTrip,
            slowStart.isOver(UInt64(acknowledged), UInt64(segments.count), sample, at: now, times, window.size)
        {
            window.endSlowStart()
        }
        window.acknowledge(news.count, at: now, roundTrip: times.isEmpty ? 0 : times.smallest)
    }

    /// The newly delivered segments of an acknowledgement.
    private struct News {
        var count = 0
        var roundTrip: Int64?
    }

    private mutating func deliver(_ number: Int, _ now: Int64, _ news: inout News) {
        let segment = segments[number]
        guard !segment.isSacked else { return }
        if !segment.isLost { inFlight -= 1 }
        segments[number].isSacked = true
        segments[number].isLost = false
        news.count += 1
        latestDelivered = max(latestDelivered, segment.sent)
        if !segment.isRetransmission { news.roundTrip = now - segment.sent }
    }

    private mutating func findLost(_ now: Int64) {
        guard highestSacked >= acknowledged else { return }
        let reorderingTime = hasReordering && !times.isEmpty ? times.smallest / 4 : 0
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

    /// When the timer fires; `Int64.max` for never.
    var timer: Int64 {
        guard inFlight > 0 else { return .max }
        if canProbe {
            return timerStart + 2 * times.smoothed + (inFlight == 1 ? Self.shortestTimeout : Self.shortestProbe)
        }
        return timerStart + min(times.timeout * backoff, Self.longestTimeout)
    }

    private var canProbe: Bool {
        !times.isEmpty && !hasProbed && recovery == nil && highestSacked < acknowledged
    }

    /// Handles the timer: returns the segment to send as a tail loss probe (TLP); nil after a retransmission timeout.
    mutating func expire(at now: Int64) -> Int? {
        timerStart = now
        if canProbe {
            hasProbed = true
            let last = segments.count - 1
            if !segments[last].isLost { inFlight -= 1 }
            return resend(last, now)
        }
        for number in acknowledged..<segments.count where !segments[number].isSacked {
            segments[number].isLost = true
        }
        lost = (acknowledged..<segments.count).filter { segments[$0].isLost }
        (inFlight, backoff, recovery) = (0, min(backoff * 2, Self.largestBackoff), (segments.count, true))
        window.collapse()
        return nil
    }
}
