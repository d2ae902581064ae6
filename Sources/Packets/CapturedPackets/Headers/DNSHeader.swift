// SPDX-License-Identifier: Apache-2.0

/// The header of a DNS message (RFC 1035, section 4.1.1).
package struct DNSHeader: Hashable, Sendable {
    package static let length = 12

    /// The ID that a query and its response share.
    package var identifier: UInt16
    /// QR, OPCODE, AA, TC, RD, RA, Z and RCODE, from the highest bit.
    package var flags: UInt16
    package var questions: UInt16
    package var answers: UInt16
    package var authorities: UInt16
    package var additions: UInt16

    package init(identifier: UInt16, flags: UInt16, questions: UInt16 = 1, answers: UInt16 = 0, additions: UInt16 = 0) {
        (self.identifier, self.flags, self.questions) = (identifier, flags, questions)
        (self.answers, authorities, self.additions) = (answers, 0, additions)
    }

    package var isAnswer: Bool { flags & 0x8000 != 0 }
    /// Whether the response is truncated (TC), so that the client should ask again over TCP.
    package var isTruncated: Bool { flags & 0x0200 != 0 }
    /// The response code; 0 for success, 3 for a name that does not exist.
    package var code: UInt8 { UInt8(flags & 0xF) }

    package var bytes: [UInt8] {
        [identifier, flags, questions, answers, authorities, additions].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
