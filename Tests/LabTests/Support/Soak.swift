// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The length of randomized tests: short by default, long for scripts/check/soak.
enum Soak {
    static let isLong = ProcessInfo.processInfo.environment["LINKCOND_SOAK"] != nil

    /// One of two numbers.
    static func number(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// Trials of a kind by their number.
    static func trials(_ short: Int, long: Int) -> Range<Int> { 0..<number(short, long: long) }
}
