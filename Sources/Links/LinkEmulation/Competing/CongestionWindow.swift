// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The congestion window of a TCP sender in packets, whole ones as in Linux: slow start, then Reno (RFC 5681) or CUBIC
/// (RFC 9438).
package struct CongestionWindow: Sendable {
    package private(set) var size = 10
    private(set) var threshold = Int.max
    private let congestion: CompetingFlows.Congestion
    private var cubic = CubicGrowth()
    /// Packets acknowledged since the window has grown.
    private var counted = 0

    private static let smallest = 2

    package init(_ congestion: CompetingFlows.Congestion) { self.congestion = congestion }

    package var isInSlowStart: Bool { size < threshold }

    /// Grows the window by an acknowledgement of `count` packets.
    ///
    /// - Parameter roundTrip: the shortest round trip in nanoseconds.
    package mutating func acknowledge(_ count: Int, at now: Int64, roundTrip: Int64) {
        var count = count
        if isInSlowStart {
            let grown = min(count, threshold - size)
            size += grown
            count -= grown
            guard count > 0 else { return }
        }
        switch congestion {
        case .reno: grow(count, every: size)
        case .cubic: grow(count, every: cubic.interval(size, acknowledged: count, at: now, roundTrip: roundTrip))
        }
    }

    /// Grows by a packet for each `interval` packets that are acknowledged: `tcp_cong_avoid_ai` in Linux.
    private mutating func grow(_ count: Int, every interval: Int) {
        // The interval has become shorter meanwhile.
        if counted >= interval { (size, counted) = (size + 1, 0) }
        counted += count
        size += counted / interval
        counted %= interval
    }

    /// Shrinks the window for a loss or a mark.
    package mutating func reduce() {
        switch congestion {
        case .reno: threshold = max(size / 2, Self.smallest)
        case .cubic:
            cubic.endEpoch(size)
            threshold = max(Int(Double(size) * CubicGrowth.decrease), Self.smallest)
        }
        (size, counted) = (threshold, 0)
    }

    /// Begins anew after a time-out.
    package mutating func collapse() {
        reduce()
        (size, cubic) = (1, CubicGrowth())
    }

    /// Ends slow start at the present size (HyStart).
    package mutating func endSlowStart() { threshold = size }
}
