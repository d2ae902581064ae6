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

    /// Whether nothing more can be learnt.
    var isFinished: Bool { get }

    /// Whether it can go on after no bytes that were not kept.
    var needsAllBytes: Bool { get }

    /// Adds what was learnt to a connection.
    func describe(_ connection: inout Connection)
}

extension StreamReader {
    var needsAllBytes: Bool { false }
}
