// SPDX-License-Identifier: Apache-2.0

/// The growth of CUBIC's window between two reductions: RFC 9438, section 4, as `bictcp_update` of Linux' tcp_cubic.c.
///
/// Linux differs from the RFC in four things. Windows are whole packets; below the last maximum the cubic function is rounded
/// up, so that a small window is up to a packet larger. The shortest round trip is the one that is looked ahead, and not the
/// smoothed one. The estimate of Reno's window keeps its slope when it passes the last maximum. Before the first loss the
/// window grows by at least 5 % a round trip, since its right size is not known.
struct CubicGrowth: Sendable {
    private var maximum = 0
    private var epochStart: Int64?
    private var origin = 0
    private var timeToOrigin = 0.0
    private var renoEstimate = 0
    /// Packets acknowledged since Reno's estimate has grown.
    private var counted = 0

    /// The factor of a decrease: section 4.6.
    static let decrease = 0.7
    /// The constant C, in packets per second cubed: section 5.1.
    private static let scale = 0.4
    /// More packets than any window has.
    private static let farthest = 1e9
    /// Reno's estimate grows by a packet in so many eighths of a round trip: section 4.3, 1.7 / (3 * 0.3).
    private static let eighthsForReno = 15
    private static let longestIntervalAtStart = 20

    /// The number of packets to be acknowledged for one more in the window.
    mutating func interval(_ window: Int, acknowledged count: Int, at now: Int64, roundTrip: Int64) -> Int {
        let start = begin(window, at: now)
        let distance = Double(now - start + roundTrip) / 1e9 - timeToOrigin
        let offset = Self.scale * distance * distance * distance
        let target = origin + Int(min(max(offset, -Self.farthest), Self.farthest))
        var interval = target > window ? window / (target - window) : 100 * window
        if maximum == 0 { interval = min(interval, Self.longestIntervalAtStart) }
        counted += count
        let renoInterval = window * Self.eighthsForReno / 8
        while counted > renoInterval {
            counted -= renoInterval
            renoEstimate += 1
        }
        if renoEstimate > window { interval = min(interval, window / (renoEstimate - window)) }
        // At most half of the window in a round trip: section 4.2.
        return max(interval, 2)
    }

    /// The start of the epoch: now, if the window has been reduced.
    private mutating func begin(_ window: Int, at now: Int64) -> Int64 {
        if let epochStart { return epochStart }
        epochStart = now
        (renoEstimate, counted) = (window, 0)
        origin = max(maximum, window)
        timeToOrigin = Self.cubeRoot(Double(origin - window) / Self.scale)
        return now
    }

    /// Notes that a window of so many packets is reduced.
    mutating func endEpoch(_ window: Int) {
        // Fast convergence: section 4.7.
        maximum = window < maximum ? Int(Double(window) * (1 + Self.decrease) / 2) : window
        epochStart = nil
    }

    /// The cube root by Newton's method from a start that is the same on every machine: cbrt(3) is not.
    static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var root = max(value, 1)
        for _ in 0..<200 {
            let next = (2 * root + value / (root * root)) / 3
            if next >= root { break }
            root = next
        }
        return root
    }
}
