// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The secrets in the lines of a TLS key log (RFC 9850), by the ClientHello's random.
final class KeyLog {
    /// The purpose of a secret.
    enum Label: String {
        /// The master secret of TLS 1.2 and before.
        case master = "CLIENT_RANDOM"
        case clientEarly = "CLIENT_EARLY_TRAFFIC_SECRET"
        case clientHandshake = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
        case serverHandshake = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
        case client = "CLIENT_TRAFFIC_SECRET_0"
        case server = "SERVER_TRAFFIC_SECRET_0"
    }

    /// The number of latest connections whose secrets are kept: older ones have been read, or are not in the capture.
    private static let maximum = 1 << 15
    private static let longestLine = 512

    private var secrets: [[UInt8]: [Label: [UInt8]]] = [:]
    private var order: Deque<[UInt8]> = []

    /// Adds whole lines; skips a line that is not in the key log format.
    func add(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) where line.count <= Self.longestLine {
            let words = line.split { $0 == 0x20 || $0 == 0x0D }
            guard words.count == 3, let label = Label(rawValue: String(decoding: words[0], as: UTF8.self)),
                let random = Self.bytes(words[1]), random.count == 32, let secret = Self.bytes(words[2]),
                32...64 ~= secret.count
            else { continue }
            if secrets[random] == nil {
                order.append(random)
                if order.count > Self.maximum, let oldest = order.popFirst() { secrets[oldest] = nil }
            }
            secrets[random, default: [:]][label] = secret
        }
    }

    /// A secret of a connection; nil if it is not known (yet).
    func secret(_ label: Label, of random: [UInt8]) -> [UInt8]? { secrets[random]?[label] }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
