// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// netem's limit in packets, such that the buffer at the bottleneck has the profile's size.
///
/// netem counts packets, including the packets in flight during the delay. A buffer in bytes is therefore converted to
/// full-size frames, plus the frames in flight at the rate. Small packets reach this limit earlier than a limit in
/// bytes. It is therefore used only without a rate, and if a policer cannot count the bytes.
enum QueueLimit {
    private static let fullFrame = Double(Frame.fullSizeBytes)
    /// Without a rate nothing queues; the packets in flight at this rate must fit.
    static let fastestUnlimited = BitRate(bitsPerSecond: 10_000_000_000)
    static let bounds = 2.0...1_000_000.0

    /// The limit in packets; `delay` is the longest time that a packet is in flight.
    static func packets(rate: BitRate?, delay: Duration, queue: QueueSize?) -> UInt32 {
        guard let rate else {
            return bounded(max(1000, fastestUnlimited.bytes(in: delay) / fullFrame))
        }
        let inFlight = (rate.bytes(in: delay) / fullFrame).rounded(.up)
        let queued: Double =
            switch queue ?? .default(atRate: rate, overhead: nil) {
            case .packets(let packets): Double(packets)
            case .bytes(let bytes): (Double(bytes) / fullFrame).rounded(.up)
            case .time(let time): (rate.bytes(in: time) / fullFrame).rounded(.up)
            }
        return bounded(inFlight + queued)
    }

    /// The longest time that an accepted packet stays in a lane: in a full queue, then in flight.
    static func drainTime(netemLimit: UInt32, rate: BitRate?, delay: Duration) -> Duration {
        delay + (rate?.time(forBytes: Double(netemLimit) * fullFrame) ?? .zero)
    }

    private static func bounded(_ packets: Double) -> UInt32 {
        UInt32(min(max(packets, bounds.lowerBound), bounds.upperBound))
    }
}
