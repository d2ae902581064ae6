// SPDX-License-Identifier: Apache-2.0

/// The bytes that a link delivered, by the time at which they came in.
///
/// A packet counts as delivered with its last byte. Over a slow link its first ones came pieces of time before: drawn
/// as it was delivered, a link of 32 kbit/s would seem to carry 1514 bytes at once.
enum ArrivingBytes {
    /// The bytes of a full frame of Ethernet. More than these are never moved, so that a link which carries more than
    /// its rate is seen to.
    private static let largestFrame = 1514.0

    /// Moves what a piece cannot have carried to those before it.
    ///
    /// - Parameters:
    ///   - delivered: the bytes that were delivered in each piece.
    ///   - capacities: the most that the link carries in each piece; nil for no limit.
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
