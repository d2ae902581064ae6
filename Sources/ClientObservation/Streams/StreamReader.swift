// SPDX-License-Identifier: Apache-2.0

/// The next bytes of a stream, all from one packet.
struct StreamPiece {
    /// The bytes that were kept.
    var bytes: ArraySlice<UInt8>
    /// Bytes of the stream that follow them and were not kept.
    var missing: Int
    /// The packet that they were in.
    var packet: ObservedPacket
}

/// Reads what two sides say to each other in one protocol.
protocol StreamReader {
    /// Reads the next bytes of a side.
    mutating func read(_ piece: StreamPiece, from side: Connection.Side)

    /// Whether nothing more can be learnt.
    var isFinished: Bool { get }

    /// Adds what was learnt to a connection.
    func describe(_ connection: inout Connection)
}
