// SPDX-License-Identifier: Apache-2.0

/// The next bytes of a stream, all from one packet.
package struct StreamPiece {
    /// The bytes that were kept.
    package var bytes: ArraySlice<UInt8>
    /// Bytes of the stream that follow them and were not kept.
    package var missing: Int
    /// The packet that they were in.
    package var packet: ObservedPacket

    package init(bytes: ArraySlice<UInt8>, missing: Int = 0, packet: ObservedPacket) {
        (self.bytes, self.missing, self.packet) = (bytes, missing, packet)
    }
}

/// Reads what two sides say to each other in one protocol.
protocol StreamReader {
    /// Reads the next bytes of a side.
    mutating func read(_ piece: StreamPiece, from side: Connection.Side)

    /// True once the rest of the stream cannot add anything.
    var isFinished: Bool { get }

    /// True while each byte is needed: after bytes that were not kept, it cannot go on.
    var needsAllBytes: Bool { get }

    /// Adds the results to a connection.
    func describe(_ connection: inout Connection)
}

extension StreamReader {
    var needsAllBytes: Bool { false }
}
