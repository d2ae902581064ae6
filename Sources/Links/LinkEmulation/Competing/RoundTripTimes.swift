// SPDX-License-Identifier: Apache-2.0

/// The round trip of a modelled TCP flow, in nanoseconds: RFC 6298, with Linux' shortest time-out of 200 ms.
package struct RoundTripTimes: Sendable {
    package private(set) var smoothed: Int64 = 0
    private var variation: Int64 = 0
    /// `Int64.max` if none has been measured.
    package private(set) var smallest = Int64.max

    private static let shortestTimeout: Int64 = 200_000_000
    private static let firstTimeout: Int64 = 1_000_000_000

    package init() {}

    /// Whether no round trip has been measured yet.
    package var isEmpty: Bool { smoothed == 0 }

    package mutating func add(_ sample: Int64) {
        smallest = min(smallest, sample)
        if isEmpty {
            (smoothed, variation) = (sample, sample / 2)
        } else {
            variation += (abs(smoothed - sample) - variation) / 4
            smoothed += (sample - smoothed) / 8
        }
    }

    /// The time after which a packet counts as lost.
    package var timeout: Int64 {
        isEmpty ? Self.firstTimeout : smoothed + max(4 * variation, Self.shortestTimeout)
    }
}
