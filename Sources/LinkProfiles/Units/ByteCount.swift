// SPDX-License-Identifier: Apache-2.0

/// A number of bytes; prefixes are decimal (1 kB is 1000 bytes), "KiB" and its like are binary.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// The number.
    public let bytes: UInt64

    /// Makes a count.
    public init(bytes: UInt64) {
        self.bytes = bytes
    }

    /// Compares by number.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    static let quantity = Quantity(
        kind: "a number of bytes",
        example: "10 kB",
        units: [
            .init(spelling: "bytes", factor: 1), .init(spelling: "kB", factor: 1000),
            .init(spelling: "MB", factor: 1_000_000), .init(spelling: "GB", factor: 1_000_000_000),
            .init(spelling: "B", factor: 1), .init(spelling: "byte", factor: 1),
            .init(spelling: "KiB", factor: 1024), .init(spelling: "MiB", factor: 1_048_576),
            .init(spelling: "GiB", factor: 1_073_741_824),
        ],
        // A link of 10 Gbit/s carries that in two weeks.
        maximum: 1_000_000_000_000_000
    )
}

extension ByteCount: CustomStringConvertible {
    /// The count with the largest decimal prefix that is not above it: "10 kB".
    public var description: String { Self.quantity.format(bytes) }
}
