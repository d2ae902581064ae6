// SPDX-License-Identifier: Apache-2.0

/// A number of bytes; "kB" and "MB" are decimal (1 kB is 1000 bytes), "KiB" and "MiB" are binary.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// The number of bytes.
    public let bytes: UInt64

    /// Makes a count.
    public init(bytes: UInt64) {
        self.bytes = bytes
    }

    /// Parses "10 kB" or "1.5MB"; nil for anything else.
    package init?(parsing text: String) {
        guard case .success(let bytes) = Self.quantity.parse(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The spellings of the units.
    package static var units: [String] { quantity.units.map(\.key) }

    /// Compares by number.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    static let quantity = Quantity(
        kind: "a number of bytes",
        example: "10 kB",
        units: [
            "bytes": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "B": 1, "byte": 1,
            "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824,
        ],
        // A link of 10 Gbit/s takes nine days for it.
        maximum: 1_000_000_000_000_000
    )
}

extension ByteCount: CustomStringConvertible {
    /// The count in the largest decimal unit that is not larger than the count: "10 kB".
    public var description: String { Self.quantity.format(bytes) }
}
