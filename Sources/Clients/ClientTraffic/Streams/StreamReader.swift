// SPDX-License-Identifier: Apache-2.0

/// The next bytes of a stream, all from one packet.
package struct StreamPiece {
    /// The bytes that were captured and kept.
    package var bytes: ArraySlice<UInt8>
    /// The number of bytes of the stream that follow `bytes` and were not kept.
    package var missing: Int
    /// The packet that had the bytes.
    package var packet: ObservedPacket

    package init(bytes: ArraySlice<UInt8>, missing: Int = 0, packet: ObservedPacket) {
        (self.bytes, self.missing, self.packet) = (bytes, missing, packet)
    }
}

/// Reads both sides of a connection in one protocol.
protocol StreamReader {
    /// Reads the next bytes of a side.
    mutating func read(_ piece: StreamPiece, from side: Connection.Side)

    /// Whether the rest of the stream cannot add anything.
    var isFinished: Bool { get }

    /// Whether each byte is needed: after bytes that were not kept, the reader cannot go on.
    var needsAllBytes: Bool { get }

    /// Adds the results to a connection.
    func describe(_ connection: inout Connection)
}

extension StreamReader {
    var needsAllBytes: Bool { false }
}
