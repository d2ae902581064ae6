// SPDX-License-Identifier: Apache-2.0

/// How long an answer took.
enum RoundTrip {
    /// By the kernel's stamp on the answer, which does not count how long this process then waited for its turn;
    /// by our own clock where there is no stamp, or the wall clock was set meanwhile.
    ///
    /// - Parameters:
    ///   - monotonic: from sending to reading, in nanoseconds.
    ///   - stamps: from sending to the kernel's stamp, by the wall clock.
    static func of(monotonic: Int64, stamps: Int64?) -> Int64 {
        guard let stamps, stamps > -1_000_000, stamps <= monotonic else { return max(monotonic, 1000) }
        // Within a batch the moment of sending is an estimate.
        return max(stamps, 1000)
    }
}
