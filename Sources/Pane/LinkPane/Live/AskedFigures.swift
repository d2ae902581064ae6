// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// What was asked of a lane. A figure is nil if none was asked, or if what holds at this moment is not known: that of a
/// trace.
struct AskedFigures: Hashable, Sendable {
    let impairments: Impairments
    /// Bits per second.
    let rate: Double?
    /// The bytes that the queue holds; nil for a queue of packets, or if a lane without a rate has none.
    let queue: Double?

    init(_ impairments: Impairments) {
        self.impairments = impairments
        // A rate of zero holds packets back: there is no rate to compare with.
        let rate = impairments.rate.flatMap { $0.isZero ? nil : $0 }
        self.rate = rate.map { Double($0.bitsPerSecond) }
        let queue = impairments.queue ?? rate.map { .default(atRate: $0, overhead: impairments.overhead) }
        self.queue =
            switch queue {
            case .bytes(let bytes): Double(bytes)
            case .time(let time): rate.map { $0.bytes(in: time) }
            case .packets, nil: nil
            }
    }

    var delay: Duration? { impairments.delay }
    var jitter: Duration? { impairments.jitter?.amount }
    var loss: Double? { impairments.loss?.meanLoss }

    /// The bytes on the link of packets whose frames have `bytes` bytes together.
    func wireBytes(_ bytes: UInt64, packets: UInt64) -> Double {
        guard let overhead = impairments.overhead, packets > 0 else { return Double(bytes) }
        return Double(overhead.wireBytes(ofFrame: Int(bytes / packets))) * Double(packets)
    }

    /// The longest time for which the bottleneck's full queue holds a packet; nil if that is not known.
    var longestWait: Duration? {
        guard let rate else { return impairments.trace == nil && impairments.rate == nil ? .zero : nil }
        switch impairments.queue {
        case .packets(let packets): return .seconds(Double(packets) * Double(Frame.fullSizeBytes) * 8 / rate)
        default: return queue.map { .seconds(($0 + Double(Frame.fullSizeBytes)) * 8 / rate) }
        }
    }

    var json: JSON {
        JSON(
            ("rate", .number(rate.map { Int($0) })),
            ("delay", .number(delay.map { $0 / .milliseconds(1) })),
            ("jitter", .number(jitter.map { $0 / .milliseconds(1) })),
            ("loss", .number(loss)),
            ("queue", .number(queue.map { Int($0) })),
            ("words", .list(impairments.words.map { JSON(.string($0)) }))
        )
    }
}
