// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The capacity of the buffer at the bottleneck, including the frame that is being sent. That of a managed queue is without it,
/// as that of the kernel's queues.
///
/// Bytes are counted on the wire: the frame and the link layer's overhead.
package struct QueueCapacity: Sendable {
    package let bytes: Int
    package let packets: Int
    /// The reason for a drop where there is no room.
    var fullReason = QueueDrop.full

    private init(bytes: Int, packets: Int) {
        self.bytes = bytes
        self.packets = packets
    }

    /// Makes the capacity of `queue`, or of the default queue, at `rate`; a link without a rate has no queue.
    package init(_ queue: QueueSize?, rate: BitRate?, overhead: Overhead?) {
        guard let rate else {
            self.init(bytes: .max, packets: .max)
            return
        }
        switch queue ?? .default(atRate: rate, overhead: overhead) {
        case .packets(let packets):
            self.init(bytes: .max, packets: Int(clamping: packets))
        case .bytes(let bytes):
            self.init(bytes: Int(clamping: bytes), packets: .max)
        case .time(let time):
            self.init(bytes: Self.bytes(at: rate, in: time), packets: .max)
        }
    }

    /// The bytes sent at `rate` in `time`. Computed in integers: rounding must not make 125 MB one byte less.
    private static func bytes(at rate: BitRate, in time: Duration) -> Int {
        let product = rate.bitsPerSecond.multipliedFullWidth(by: UInt64(max(time.nanoseconds, 0)))
        let divisor: UInt64 = 8_000_000_000
        guard product.high < divisor else { return .max }
        return Int(clamping: divisor.dividingFullWidth(product).quotient)
    }
}
