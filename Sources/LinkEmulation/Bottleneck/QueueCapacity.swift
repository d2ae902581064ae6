// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// How much the buffer at the bottleneck holds, the frame that is being sent among it.
///
/// Bytes are those that the bottleneck has to send: the frame's and the link layer's overhead.
struct QueueCapacity: Sendable {
    let bytes: Int
    let packets: Int

    static let endless = QueueCapacity(bytes: .max, packets: .max)

    private init(bytes: Int, packets: Int) {
        self.bytes = bytes
        self.packets = packets
    }

    /// The capacity at `rate`, by which a time becomes bytes; a link without a rate has no queue to fill.
    init(_ queue: QueueSize?, rate: BitRate?, overhead: Overhead?) {
        guard let rate else {
            self = .endless
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

    /// In whole numbers, as 125 MB must not become one byte less.
    private static func bytes(at rate: BitRate, in time: Duration) -> Int {
        let product = rate.bitsPerSecond.multipliedFullWidth(by: UInt64(max(time.nanoseconds, 0)))
        let divisor: UInt64 = 8_000_000_000
        guard product.high < divisor else { return .max }
        return Int(clamping: divisor.dividingFullWidth(product).quotient)
    }
}
