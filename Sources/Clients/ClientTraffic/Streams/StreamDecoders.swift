// SPDX-License-Identifier: Apache-2.0

/// Makes decoders that need a library: for TLS whose keys were logged, and for compressed HTTP/2 header fields.
///
/// The decoders have state: a reader that uses one must not be copied and continued twice.
package protocol StreamDecoders: AnyObject {
    /// Adds lines of a TLS key log (RFC 9850).
    func add(tlsKeys lines: [UInt8])

    /// Makes a decoder for the records of one more connection.
    func makeTLSDecoder() -> any TLSDecoder

    /// Makes a decoder for the header blocks of one more side of a connection.
    func makeHeaderDecoder() -> any HeaderDecoder
}

/// Decrypts the records of one TLS connection.
package protocol TLSDecoder: AnyObject {
    /// Adds the next bytes of a side; returns the content that can be decrypted now.
    func read(_ piece: StreamPiece, from side: Connection.Side) -> [OpenedPiece]

    /// Decrypts the records that waited for keys which have been added since. Waiting records may remain.
    func readWaiting() -> [OpenedPiece]

    /// Whether the handshake has negotiated HTTP/2 by ALPN (RFC 7301); nil until that is known.
    var isHTTP2: Bool? { get }

    /// The reason why the further records of `side` cannot be read; nil if they can.
    func obstacle(of side: Connection.Side) -> TLSObstacle?

    /// Whether records wait for their keys.
    var isWaiting: Bool { get }

    /// Whether the client's latest record is incomplete.
    var endsInClientRecord: Bool { get }

    /// Whether the client has sent records that may have content, besides the handshake and alerts.
    var hasClientContent: Bool { get }
}

/// A decrypted piece of a side's content.
package struct OpenedPiece {
    package var side: Connection.Side
    package var piece: StreamPiece

    package init(_ piece: StreamPiece, from side: Connection.Side) { (self.side, self.piece) = (side, piece) }
}

/// Decodes the header blocks of one side (RFC 7541).
package protocol HeaderDecoder: AnyObject {
    /// Decodes a part of a header block. Returns false if the block is malformed; then no later block can be decoded.
    func decode(
        _ part: ArraySlice<UInt8>,
        isLast: Bool,
        _ field: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) -> Bool
}
