// SPDX-License-Identifier: Apache-2.0

/// The bytes that a link layer adds to a packet.
public struct Overhead: Hashable, Sendable {
    /// Bytes added to each packet; negative if the link saves bytes, as by header compression.
    public var packet: Int
    /// Bytes of payload in each cell (ATM: 48); nil if the link has no cells.
    public var cell: Int?
    /// Bytes added to each cell (ATM: 5).
    public var cellOverhead: Int?

    /// Makes an overhead of `packet` bytes a packet.
    public init(packet: Int, cell: Int? = nil, cellOverhead: Int? = nil) {
        self.packet = packet
        self.cell = cell
        self.cellOverhead = cellOverhead
    }

    /// Returns the bytes on the wire for a frame of `bytes` bytes.
    public func wireBytes(ofFrame bytes: Int) -> Int {
        let length = max(bytes + packet, 1)
        guard let cell, cell > 0 else { return length }
        return (length + cell - 1) / cell * (cell + (cellOverhead ?? 0))
    }
}

/// The frame whose bytes rates, queues and overheads count on every device: an IP packet with an Ethernet header.
public enum Frame {
    /// The bytes of the header before the IP packet.
    public static let headerBytes = 14
    /// The bytes of a frame that holds a packet of 1500 bytes.
    public static let fullSizeBytes = 1514
}
