// SPDX-License-Identifier: Apache-2.0

/// Percentiles that are one of the values, and none between them.
package enum NearestRank {
    /// The rank, from 1, of the smallest value that this share of `count` values does not exceed; 0 of no values.
    package static func rank(_ share: Double, of count: Int) -> Int {
        // A share such as 7 % times 100 is a little more than 7: rounding must not choose the next value.
        count == 0 ? 0 : max(Int((share.nextDown * Double(count)).rounded(.up)), 1)
    }
}
