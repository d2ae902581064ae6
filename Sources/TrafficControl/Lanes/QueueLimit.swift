// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// How many packets netem may hold, so that the buffer at the bottleneck has the profile's size.
///
/// netem counts packets, those in flight through the delay among them, so a buffer in bytes becomes full-size
/// frames plus as many as are in flight at the rate. Small packets therefore fill it sooner than bytes would.
enum QueueLimit {
    private static let fullFrame = Double(Frame.fullSizeBytes)
    /// Without a rate nothing queues; what is in flight at this rate must fit.
    static let fastestUnlimited = BitRate(bitsPerSecond: 10_000_000_000)
    static let bounds = 2.0...1_000_000.0

    /// The limit in packets; `delay` is the longest that a packet is in flight.
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

    /// The longest that what a lane has accepted may take to leave: in flight, then through a full queue.
    static func drainTime(netemLimit: UInt32, rate: BitRate?, delay: Duration) -> Duration {
        delay + (rate?.time(forBytes: Double(netemLimit) * fullFrame) ?? .zero)
    }

    private static func bounded(_ packets: Double) -> UInt32 {
        UInt32(min(max(packets, bounds.lowerBound), bounds.upperBound))
    }
}
