// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ProcessorTime {
    /// What all threads of this process have taken so far.
    package static var ofProcess: Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Duration(usage)
    }

    /// A growth below this is one in proportion to the size: see ``growth(from:below:_:of:)``. The square is 2.
    package static let proportion = 1.5

    /// The power of the size with which the processor time of `body` grows: 1 if four times the size takes four times as
    /// long, 2 if it takes sixteen times as long.
    ///
    /// Caches that others use make a count longer, never shorter. So a growth that is not below `limit` is counted again,
    /// five times at most, and the least of each size counts.
    ///
    /// - Parameters:
    ///   - size: the smaller size; the larger is four times that.
    ///   - prepare: makes the input of a size, which does not count.
    package static func growth<Input>(
        from size: Int,
        below limit: Double = proportion,
        _ prepare: (Int) throws -> Input,
        of body: (Input) throws -> Void
    ) rethrows -> Double {
        let (small, large) = (try prepare(size), try prepare(size * 4))
        var (short, long) = (Duration.seconds(Int64.max), Duration.seconds(Int64.max))
        var power = Double.infinity
        for _ in 0..<5 where power >= limit {
            short = min(short, try ofThread { try body(small) })
            long = min(long, try ofThread { try body(large) })
            power = growth(from: short, to: long)
        }
        return power
    }

    /// The same of two costs, of a size and of four times that size.
    package static func growth(from short: Duration, to long: Duration) -> Double {
        log(max(long, .nanoseconds(1)) / max(short, .nanoseconds(1))) / log(4)
    }
}
