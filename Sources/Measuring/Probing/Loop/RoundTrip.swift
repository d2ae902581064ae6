// SPDX-License-Identifier: Apache-2.0

enum RoundTrip {
    /// By the kernel's stamp on the answer, which does not count how long this process then waited for its turn;
    /// by our own clock where there is no stamp, or the wall clock was set meanwhile.
    ///
    /// - Parameters:
    ///   - monotonic: from sending to reading, in nanoseconds.
    ///   - stamp: the kernel's, by the wall clock; 0 for none.
    ///   - sentWallTime: when it was sent, by the wall clock.
    static func of(monotonic: Int64, stamp: Int64, sentWallTime: Int64) -> Int64 {
        let stamped = stamp - sentWallTime
        guard stamp != 0, stamped > -1_000_000, stamped <= monotonic else { return max(monotonic, 1000) }
        // Within a batch the time of sending is an estimate.
        return max(stamped, 1000)
    }
}
