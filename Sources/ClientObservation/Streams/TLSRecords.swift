// SPDX-License-Identifier: Apache-2.0

/// The records of one side of a TLS connection (RFC 8446, section 5.1).
struct TLSRecords {
    private static let headerLength = 5
    /// The longest record, with what encryption adds (RFC 5246, section 6.2.3).
    private static let longest = 16384 + 2048
    /// As much of a handshake message as is needed.
    private static let mostHandshake = 16 << 10

    private var header: [UInt8] = []
    private var left = 0
    /// The packet of the record's first byte.
    private var first: ObservedPacket?
    /// The start of the side's handshake messages.
    private(set) var handshake: [UInt8] = []
    /// Whether no handshake bytes are needed any more.
    var hasHello = false { didSet { handshake = [] } }
    private(set) var hasEnded = false

    /// Reads bytes.
    ///
    /// - Returns: the records that they complete.
    mutating func read(_ piece: StreamPiece) -> [TLSRecord] {
        var bytes = piece.bytes
        var complete: [TLSRecord] = []
        while !bytes.isEmpty, !hasEnded {
            if header.count < Self.headerLength {
                if header.isEmpty { first = piece.packet }
                header.append(bytes.removeFirst())
                guard header.count == Self.headerLength else { continue }
                left = Int(header[3]) << 8 | Int(header[4])
                guard 20...24 ~= header[0], header[1] == 3, left <= Self.longest else {
                    hasEnded = true
                    break
                }
            } else {
                let part = bytes.prefix(left)
                if header[0] == TLSRecord.handshake, !hasHello {
                    handshake += part.prefix(Self.mostHandshake - handshake.count)
                }
                bytes = bytes.dropFirst(part.count)
                left -= part.count
            }
            if header.count == Self.headerLength, left == 0 { complete.append(finish(piece.packet)) }
        }
        guard piece.missing > 0, !hasEnded else { return complete }
        // Records whose content does not count may be cut.
        let isNeeded = header.count < Self.headerLength || header[0] == TLSRecord.handshake && !hasHello
        guard !isNeeded, piece.missing <= left else {
            hasEnded = true
            return complete
        }
        left -= piece.missing
        if left == 0 { complete.append(finish(piece.packet)) }
        return complete
    }

    private mutating func finish(_ packet: ObservedPacket) -> TLSRecord {
        let record = TLSRecord(
            type: header[0],
            length: Int(header[3]) << 8 | Int(header[4]),
            first: first ?? packet,
            last: packet
        )
        header = []
        return record
    }
}

/// A record that has come whole.
struct TLSRecord {
    static let changeCipherSpec: UInt8 = 20
    static let handshake: UInt8 = 22
    /// Encrypted: in TLS 1.3 all that follows the hellos.
    static let applicationData: UInt8 = 23

    var type: UInt8
    var length: Int
    /// The packets of its first and its last byte.
    var first: ObservedPacket
    var last: ObservedPacket
}
