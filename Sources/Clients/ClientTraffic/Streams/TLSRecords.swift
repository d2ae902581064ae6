// SPDX-License-Identifier: Apache-2.0

/// Finds the records of one side of a TLS connection (RFC 8446, section 5.1).
package struct TLSRecords {
    private static let headerLength = 5
    /// The length of the longest encrypted record (RFC 5246, section 6.2.3).
    private static let longest = 16384 + 2048
    /// The longest part of a handshake message that is needed.
    private static let maximumHandshake = 16 << 10

    private var header: [UInt8] = []
    private var left = 0
    /// The packet of the record's first byte.
    private var first: ObservedPacket?
    /// The packet with a part of the record that was delivered last.
    private var last: ObservedPacket?
    /// The start of the side's handshake messages.
    private(set) var handshake: [UInt8] = []
    /// Whether the hello has been read, and no more handshake bytes are needed; setting it drops them.
    var hasHello = false { didSet { handshake = [] } }
    package private(set) var hasEnded = false
    /// Whether the latest record is incomplete.
    package var isInRecord: Bool { !header.isEmpty }
    /// Whether records keep their content; if not, only the start of the handshake is kept.
    private let keepsContent: Bool
    private var content: [UInt8] = []

    package init(keepsContent: Bool = false) { self.keepsContent = keepsContent }

    /// Reads bytes.
    ///
    /// - Returns: the records that the bytes complete.
    package mutating func read(_ piece: StreamPiece) -> [TLSRecord] {
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
                    handshake += part.prefix(Self.maximumHandshake - handshake.count)
                }
                if keepsContent { content += part }
                bytes = bytes.dropFirst(part.count)
                left -= part.count
                if let delivered = piece.packet.delivered, last?.delivered ?? delivered <= delivered {
                    last = piece.packet
                }
            }
            if header.count == Self.headerLength, left == 0 { complete.append(finish(piece.packet)) }
        }
        guard piece.missing > 0, !hasEnded else { return complete }
        // Missing bytes do not matter in a record whose content is not needed.
        let isNeeded =
            header.count < Self.headerLength || keepsContent
            || header[0] == TLSRecord.handshake && !hasHello
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
            last: last ?? packet,
            header: header,
            content: content
        )
        (header, content, last) = ([], [], nil)
        return record
    }
}

/// A complete record.
package struct TLSRecord {
    package static let changeCipherSpec: UInt8 = 20
    package static let alert: UInt8 = 21
    package static let handshake: UInt8 = 22
    /// Application data; in TLS 1.3, also each encrypted record after the hellos.
    package static let applicationData: UInt8 = 23
    /// The length of the longest encrypted alert of TLS 1.3: content, type and tag, without padding. A Finished is
    /// longer.
    package static let longestAlert = 2 + 1 + 16

    package var type: UInt8
    package var length: Int
    /// The packets of the record's first byte, and of the byte that was delivered last.
    package var first: ObservedPacket
    package var last: ObservedPacket
    /// The type, version and length, as they were sent.
    package var header: [UInt8]
    /// The record's content; empty if it is not kept.
    package var content: [UInt8]
}
