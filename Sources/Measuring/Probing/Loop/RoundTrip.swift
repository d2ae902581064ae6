// SPDX-License-Identifier: Apache-2.0

enum RoundTrip {
    /// Computes a round trip in nanoseconds from the kernel's time stamp on the reply, which excludes the time that
    /// this process took to read it. Without a stamp, or if the wall clock was set meanwhile, uses `monotonic`.
    ///
    /// - Parameters:
    ///   - monotonic: the time from sending to reading, in nanoseconds.
    ///   - stamp: when the kernel received the reply, by the wall clock; 0 if there is no stamp.
    ///   - sentWallTime: when the request was sent, by the wall clock.
    static func of(monotonic: Int64, stamp: Int64, sentWallTime: Int64) -> Int64 {
        let stamped = stamp - sentWallTime
        guard stamp != 0, stamped > -1_000_000, stamped <= monotonic else { return max(monotonic, 1000) }
        // At least 1 microsecond: within a batch, the sending time is an estimate.
        return max(stamped, 1000)
    }
}
