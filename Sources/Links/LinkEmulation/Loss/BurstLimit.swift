// SPDX-License-Identifier: Apache-2.0

/// Counts the packets in a row that are lost or corrupted, and spares the one after a longest burst.
struct BurstLimit: Sendable {
    private var inARow = 0

    /// Decides whether a packet that its random number `hits` is chosen.
    @inline(__always)
    mutating func admits(_ hits: Bool, longest: Int) -> Bool {
        guard hits, inARow < longest else {
            inARow = 0
            return false
        }
        inARow += 1
        return true
    }
}
