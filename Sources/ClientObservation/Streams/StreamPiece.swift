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
