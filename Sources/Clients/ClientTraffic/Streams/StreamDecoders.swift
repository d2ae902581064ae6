// SPDX-License-Identifier: Apache-2.0

/// Reads what takes a library: TLS whose keys were logged, and the compressed header fields of HTTP/2.
///
/// It and what it makes have state of their own: what reads with it must not be copied and read on twice.
package protocol StreamDecoders: AnyObject {
    /// Adds lines of a TLS key log (RFC 9850).
    func add(tlsKeys lines: [UInt8])

    /// Opens the records of one more connection.
    func makeTLSDecoder() -> any TLSDecoder

    /// Decodes the header blocks of one more side of a connection.
    func makeHeaderDecoder() -> any HeaderDecoder
}

/// Opens the records of one TLS connection.
package protocol TLSDecoder: AnyObject {
    /// Adds the next bytes of a side; returns what they let it open.
    func read(_ piece: StreamPiece, from side: Connection.Side) -> [OpenedPiece]

    /// Records that waited for keys which have come since. More may come.
    func readWaiting() -> [OpenedPiece]

    /// Whether the handshake has agreed on HTTP/2 (RFC 7301); nil as long as that is not known.
    var isHTTP2: Bool? { get }

    /// The reason why what a side sends from here on cannot be read; nil if it can.
    func obstacle(of side: Connection.Side) -> TLSObstacle?

    /// Whether records wait for their keys.
    var isWaiting: Bool { get }

    /// Whether the latest record of the client is not whole.
    var endsInClientRecord: Bool { get }

    /// Whether the client has sent anything that may be content: not only a handshake and alerts.
    var hasClientContent: Bool { get }
}

/// A piece of a side's content in TLS.
package struct OpenedPiece {
    package var side: Connection.Side
    package var piece: StreamPiece

    package init(_ piece: StreamPiece, from side: Connection.Side) { (self.side, self.piece) = (side, piece) }
}

/// Decodes the header blocks of one side (RFC 7541).
package protocol HeaderDecoder: AnyObject {
    /// Decodes a part of a header block; returns false if it is malformed, and so is all after it.
    func decode(
        _ part: ArraySlice<UInt8>,
        isLast: Bool,
        _ field: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) -> Bool
}
