// SPDX-License-Identifier: Apache-2.0

/// The bytes that a link delivered, by the time at which they arrived.
///
/// A packet counts as delivered with its last byte, but over a slow link its first bytes arrive several pieces of time
/// earlier. Drawn by deliveries, a link of 32 kbit/s would seem to carry 1514 bytes at once.
enum ArrivingBytes {
    /// The bytes of a full Ethernet frame. At most this many are moved from a piece, so that a link that exceeds its
    /// rate remains visible.
    private static let largestFrame = 1514.0

    /// Moves the bytes of a piece that exceed its capacity to the piece before it.
    ///
    /// - Parameters:
    ///   - delivered: the bytes that were delivered in each piece.
    ///   - capacities: the most bytes that the link carries in each piece; nil for no limit.
    static func each(_ delivered: [Int], capacities: [Double?]) -> [Double] {
        var bytes = delivered.map(Double.init)
        for index in bytes.indices.dropFirst().reversed() {
            guard let capacity = capacities[index], bytes[index] > capacity else { continue }
            let early = min(bytes[index] - capacity, largestFrame)
            bytes[index] -= early
            bytes[index - 1] += early
        }
        return bytes
    }
}
