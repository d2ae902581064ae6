// SPDX-License-Identifier: Apache-2.0

/// The size of the buffer in front of a bottleneck.
public enum QueueSize: Hashable, Sendable {
    /// The time that the bottleneck takes to send a full buffer.
    case time(Duration)
    /// Bytes of frames.
    case bytes(UInt64)
    /// Frames of any size.
    case packets(UInt64)

    static let byteQuantity = Quantity(
        kind: "a size",
        example: "64 kB",
        units: [
            .init(spelling: "bytes", factor: 1), .init(spelling: "kB", factor: 1000),
            .init(spelling: "MB", factor: 1_000_000), .init(spelling: "B", factor: 1),
            .init(spelling: "byte", factor: 1), .init(spelling: "KiB", factor: 1024),
            .init(spelling: "MiB", factor: 1_048_576),
        ],
        maximum: 10_000_000_000
    )

    static let packetQuantity = Quantity(
        kind: "a number of packets",
        example: "50 packets",
        units: [.init(spelling: "packets", factor: 1), .init(spelling: "packet", factor: 1)],
        maximum: 10_000_000
    )

    static let expectation = "a time, a size or a number of packets, such as \"300 ms\", \"64 kB\" or \"50 packets\""

    static func parse(_ text: String) -> Result<QueueSize, UnreadableQuantity> {
        let isUnit: (Quantity) -> Bool = { quantity in
            quantity.units.contains { text.trimmingSpaces().hasSuffix($0.spelling) }
        }
        func suggestion(_ text: String) -> String? {
            let words = text.split(separator: " ")
            guard words.count == 2, words[1].lowercased().hasPrefix("pack") else { return nil }
            return "\(words[0]) packets"
        }
        // Time comes last, because "packets" and "bytes" end in "s" too.
        if isUnit(packetQuantity) { return packetQuantity.parse(text).map(QueueSize.packets) }
        if isUnit(byteQuantity) { return byteQuantity.parse(text).map(QueueSize.bytes) }
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
