// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The options of the token bucket filter; net/sched/sch_tbf.c, tc-tbf(8).
package struct TokenBucket: Hashable, Sendable {
    package var bytesPerSecond: UInt64
    /// The size of the bucket in bytes. A larger frame is segmented, or dropped if it cannot be segmented.
    package var burst: UInt32
    /// The largest number of bytes in tbf's default child qdisc; unused after that is replaced.
    package var limit: UInt32

    package init(bytesPerSecond: UInt64, burst: UInt32, limit: UInt32) {
        self.bytesPerSecond = bytesPerSecond
        self.burst = burst
        self.limit = limit
    }
}

extension TokenBucket {
    /// The time to send a full bucket in the kernel's ticks of 64 ns, rounded up.
    private var bufferTicks: UInt32 {
        let nanoseconds = (UInt64(burst) * 1_000_000_000 + bytesPerSecond - 1) / max(bytesPerSecond, 1)
        return UInt32(clamping: (nanoseconds + 63) / 64)
    }

    func write(to message: Message) {
        var parameters = tc_tbf_qopt()
        parameters.rate.rate = UInt32(clamping: bytesPerSecond)
        parameters.rate.linklayer = UInt8(TC_LINKLAYER_ETHERNET.rawValue)
        parameters.limit = limit
        parameters.buffer = bufferTicks
        message.put(TCA_TBF_PARMS, parameters)
        // Without this attribute, the kernel computes the bucket from ticks, rounded down, and drops full-size frames.
        message.put(TCA_TBF_BURST, burst)
        message.put(TCA_TBF_RATE64, bytesPerSecond > UInt64(UInt32.max) ? bytesPerSecond : 0)
    }

    init?(_ options: ArraySlice<UInt8>) {
        let attributes = AttributeReader(options)
        guard let parameters = attributes.value(TCA_TBF_PARMS, as: tc_tbf_qopt.self) else { return nil }
        // The kernel uses the larger of the 32-bit and the 64-bit rate.
        bytesPerSecond = max(attributes.value(TCA_TBF_RATE64) ?? 0, UInt64(parameters.rate.rate))
        limit = parameters.limit
        // The kernel reports the bucket as a time, in ticks rounded down.
        let nanoseconds = UInt64(parameters.buffer) * 64
        // The product may exceed 64 bits for a bucket that was created without TCA_TBF_BURST.
        let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: bytesPerSecond)
        burst = attributes.value(TCA_TBF_BURST) ?? (overflow ? .max : UInt32(clamping: product / 1_000_000_000))
    }

    /// Returns whether `other`, read from the kernel, equals this bucket.
    ///
    /// The kernel stores the burst as a time, so the bursts may differ by the bytes sent in one tick.
    package func matches(_ other: TokenBucket) -> Bool {
        let perTick = bytesPerSecond * 64 / 1_000_000_000 + 1
        let difference = UInt64(max(burst, other.burst) - min(burst, other.burst))
        return bytesPerSecond == other.bytesPerSecond && limit == other.limit && difference <= perTick
    }
}
