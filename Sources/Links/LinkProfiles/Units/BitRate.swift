// SPDX-License-Identifier: Apache-2.0

/// A rate in bits a second; prefixes are decimal (1 kbit/s is 1000 bit/s).
public struct BitRate: Hashable, Comparable, Sendable {
    /// Bits a second.
    public let bitsPerSecond: UInt64

    /// Makes a rate from bits a second.
    public init(bitsPerSecond: UInt64) {
        self.bitsPerSecond = bitsPerSecond
    }

    /// Parses "2 Mbit/s"; nil for anything else.
    package init?(parsing text: String) {
        guard case .success(let bits) = Self.quantity.parse(text) else { return nil }
        self.init(bitsPerSecond: bits)
    }

    /// Compares by bits a second.
    public static func < (left: BitRate, right: BitRate) -> Bool {
        left.bitsPerSecond < right.bitsPerSecond
    }

    /// Whether the rate holds packets back; allowed only in a step of a schedule.
    public var isZero: Bool { bitsPerSecond == 0 }

    /// Returns how long the link takes to send `bytes` bytes; undefined for a rate of zero.
    public func time(forBytes bytes: Double) -> Duration {
        .nanoseconds(Int64(min(bytes * 8e9 / Double(bitsPerSecond), Double(Int64.max / 4)).rounded()))
    }

    /// Returns how many bytes the link sends in `time`.
    public func bytes(in time: Duration) -> Double {
        Double(bitsPerSecond) * Double(time.nanoseconds) / 8e9
    }

    static let quantity = Quantity(
        kind: "a rate",
        example: "32 kbit/s",
        units: [
            "bit/s": 1, "kbit/s": 1000, "Mbit/s": 1_000_000, "Gbit/s": 1_000_000_000,
            "bps": 1, "kbps": 1000, "Mbps": 1_000_000, "Gbps": 1_000_000_000,
            "B/s": 8, "kB/s": 8000, "MB/s": 8_000_000, "GB/s": 8_000_000_000,
        ],
        // Ten times the fastest network card; a larger figure is a typing error.
        maximum: 10_000_000_000_000,
        misspellings: misspellings
    )

    /// Bits and bytes in other spellings, such as "mb", "Mbits" and "kBps". A small "b" is a bit, a capital "B" a byte.
    private static let misspellings: [String: String] = {
        var units = ["Kbps": "kbps"]
        for (prefix, spellings) in [("", [""]), ("k", ["k", "K"]), ("M", ["M", "m"]), ("G", ["G", "g"])] {
            for spelling in spellings {
                for bits in ["b", "b/s", "bit", "bits", "Bit", "Bits", "bits/s", "bit/sec", "b/sec"] {
                    units[spelling + bits] = "\(prefix)bit/s"
                }
                for bytes in ["B", "B/s", "Bps", "B/sec", "byte/s", "bytes/s"] {
                    units[spelling + bytes] = "\(prefix)B/s"
                }
            }
        }
        return units
    }()
}

extension BitRate: CustomStringConvertible {
    /// The rate in bits with the largest prefix that keeps it exact: "1.5 Mbit/s".
    public var description: String { Self.quantity.format(bitsPerSecond) }
}
