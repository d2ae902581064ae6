// SPDX-License-Identifier: Apache-2.0

/// Decides when slow start ends without a loss (HyStart, as in Linux' tcp_cubic.c): the acknowledgements of a round come one
/// soon after the other for half a round trip, or the delay of a round has grown.
package struct SlowStartExit: Sendable {
    private var roundEnd: UInt64 = 0
    private var roundStart: Int64 = 0
    private var lastOfTrain: Int64 = 0
    private var smallest = Int64.max
    private var samples = 0

    private static let samplesNeeded = 8
    private static let smallestWindow = 16
    private static let growth: ClosedRange<Int64> = 4_000_000...16_000_000
    private static let longestGap: Int64 = 2_000_000
    /// An allowance for packets that are sent and received in groups.
    private static let grouping: Int64 = 1_000_000

    package init() {}

    /// Whether slow start is over, after an acknowledgement.
    ///
    /// - Parameters:
    ///   - number: the number of the acknowledged packet.
    ///   - next: the number of the next packet.
    ///   - sample: the round trip.
    package mutating func isOver(
        _ number: UInt64,
        _ next: UInt64,
        _ sample: Int64,
        at now: Int64,
        _ times: RoundTripTimes,
        _ window: Int
    ) -> Bool {
        if number >= roundEnd {
            (roundEnd, roundStart, lastOfTrain) = (next, now, now)
            (smallest, samples) = (.max, 0)
        }
        guard window >= Self.smallestWindow else { return false }
        if now - lastOfTrain <= Self.longestGap {
            lastOfTrain = now
            // The half, since packets are not paced.
            if now - roundStart > (times.smallest + Self.grouping) / 2 { return true }
        }
        smallest = min(smallest, sample)
        samples += 1
        let growth = min(max(times.smallest / 8, Self.growth.lowerBound), Self.growth.upperBound)
        return samples > Self.samplesNeeded && smallest > times.smallest + growth
    }
}
