// SPDX-License-Identifier: Apache-2.0

/// Percentiles by the nearest-rank method: each is one of the values, without interpolation.
package enum NearestRank {
    /// The rank, from 1, of the smallest value that at least `share` of the `count` values do not exceed; 0 for no
    /// values.
    package static func rank(_ share: Double, of count: Int) -> Int {
        // In floating point, 0.07 * 100 is slightly more than 7: rounding up must not choose the next value.
        count == 0 ? 0 : max(Int((share.nextDown * Double(count)).rounded(.up)), 1)
    }
}
