// SPDX-License-Identifier: Apache-2.0

/// The size of the buffer in front of a bottleneck.
public enum QueueSize: Hashable, Sendable {
    /// The time that the bottleneck takes to send a full buffer.
    case time(Duration)
    /// The total bytes of the frames in a full buffer.
    case bytes(UInt64)
    /// The number of frames in a full buffer, regardless of their size.
    case packets(UInt64)

    static let byteQuantity = Quantity(
        kind: "a size",
        example: "64 kB",
        units: [
            "bytes": 1, "kB": 1000, "MB": 1_000_000, "B": 1, "byte": 1, "KiB": 1024, "MiB": 1_048_576,
        ],
        maximum: 10_000_000_000
    )

    static let packetQuantity = Quantity(
        kind: "a number of packets",
        example: "50 packets",
        units: ["packets": 1, "packet": 1],
        maximum: 10_000_000
    )

    static let expectation = "a time, a size or a number of packets, such as \"300 ms\", \"64 kB\" or \"50 packets\""

    static func parse(_ text: String) -> Result<QueueSize, UnreadableQuantity> {
        func isUnit(of quantity: Quantity) -> Bool {
            quantity.units.contains { text.trimmingSpaces().hasSuffix($0.key) }
        }
        func suggestion(_ text: String) -> String? {
            let words = text.split(separator: " ")
            guard words.count == 2, words[1].lowercased().hasPrefix("pack") else { return nil }
            return "\(words[0]) packets"
        }
        // Time comes last, because "packets" and "bytes" end in "s" too.
        if isUnit(of: packetQuantity) { return packetQuantity.parse(text).map(QueueSize.packets) }
        if isUnit(of: byteQuantity) { return byteQuantity.parse(text).map(QueueSize.bytes) }
        return Duration.quantity.parse(text).map { .time(.nanoseconds(Int64($0))) }
            .mapError { error in
                UnreadableQuantity(
                    reason: error.reason,
                    expected: expectation,
                    suggestion: suggestion(text) ?? error.suggestion
                )
            }
    }
}

extension QueueSize: CustomStringConvertible {
    /// The size in the format of profiles.
    public var description: String {
        switch self {
        case .time(let time): time.text
        case .bytes(let bytes): Self.byteQuantity.format(bytes)
        case .packets(let packets): Self.packetQuantity.format(packets)
        }
    }
}

extension QueueSize {
    /// Returns the default queue, for a profile without one: 16 full-size packets, or 300 ms at `rate` if that is more
    /// bytes.
    ///
    /// The bytes of the packets include `overhead`, as in a queue whose size is given in bytes.
    public static func `default`(atRate rate: BitRate, overhead: Overhead?) -> QueueSize {
        let packet = overhead?.wireBytes(ofFrame: Frame.fullSizeBytes) ?? Frame.fullSizeBytes
        let packets = defaultPackets * packet
        return rate.bytes(in: defaultTime) > Double(packets) ? .time(defaultTime) : .bytes(UInt64(packets))
    }

    private static let defaultPackets = 16
    private static let defaultTime = Duration.milliseconds(300)
}
