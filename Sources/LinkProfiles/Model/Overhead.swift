// SPDX-License-Identifier: Apache-2.0

/// What a link layer adds to a packet before it is sent.
public struct Overhead: Hashable, Sendable {
    /// Bytes added to each packet; negative where the link saves some, as by header compression.
    public var packet: Int
    /// Bytes of payload in each cell; absent where the link has none (ATM: 48).
    public var cell: Int?
    /// Bytes added to each cell (ATM: 5).
    public var cellOverhead: Int?

    /// Makes an overhead of `packet` bytes a packet.
    public init(packet: Int, cell: Int? = nil, cellOverhead: Int? = nil) {
        self.packet = packet
        self.cell = cell
        self.cellOverhead = cellOverhead
    }

    /// The bytes on the wire for a frame of `bytes` bytes.
    public func wireBytes(ofFrame bytes: Int) -> Int {
        let length = max(bytes + packet, 1)
        guard let cell, cell > 0 else { return length }
        return (length + cell - 1) / cell * (cell + (cellOverhead ?? 0))
    }
}
