// SPDX-License-Identifier: Apache-2.0

extension QueueSize {
    /// Returns the queue of a bottleneck whose profile names none: 16 full-size packets, or 300 ms at `rate` where
    /// that is more.
    ///
    /// `overhead` counts among the bytes of the packets, as it does in a queue that is given in bytes.
    public static func `default`(atRate rate: BitRate, overhead: Overhead?) -> QueueSize {
        let packet = overhead?.wireBytes(ofFrame: Frame.fullSizeBytes) ?? Frame.fullSizeBytes
        let packets = defaultPackets * packet
        return rate.bytes(in: defaultTime) > Double(packets) ? .time(defaultTime) : .bytes(UInt64(packets))
    }

    private static let defaultPackets = 16
    private static let defaultTime = Duration.milliseconds(300)
}
