// SPDX-License-Identifier: Apache-2.0

/// The header of a TCP segment: RFC 9293.
package struct TCPHeader: Hashable, Sendable {
    /// The control bits.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let fin = Flags(rawValue: 1)
        package static let syn = Flags(rawValue: 2)
        package static let reset = Flags(rawValue: 4)
        package static let push = Flags(rawValue: 8)
        package static let acknowledgment = Flags(rawValue: 16)
        package static let urgent = Flags(rawValue: 32)
        /// ECE of RFC 3168: the sender has received a packet with a congestion mark.
        package static let congestionEcho = Flags(rawValue: 64)
        /// CWR of RFC 3168: the sender has reduced its congestion window.
        package static let congestionReduced = Flags(rawValue: 128)

        /// Whether SYN and ACK are set: the segment accepts a connection. Two tests are faster than one with a set
        /// literal: a capture may hold millions of segments.
        package var isAcceptance: Bool { contains(.syn) && contains(.acknowledgment) }
    }

    package var sourcePort: UInt16
    package var destinationPort: UInt16
    /// The sequence number of the payload's first byte, or of the SYN.
    package var sequence: TCPSequence
    /// The sequence number of the byte that the sender expects next.
    package var acknowledgment: TCPSequence
    package var flags: Flags
    /// The length of the header with its options, in bytes.
    package var headerLength: Int
    /// The window field of the header, not scaled.
    package var window: UInt16
    /// The MSS option: the largest segment that the sender accepts; nil without the option.
    package var maximumSegment: UInt16?
    /// The blocks of bytes after `acknowledgment` that have arrived (SACK, RFC 2018). A block excludes its `end`.
    package var selectiveAcknowledgments: [Block] = []
    /// The sender's timestamp (RFC 7323), and the other end's timestamp that it echoes; nil without the option.
    package var timestamp: Timestamp?

    package struct Block: Hashable, Sendable {
        package var begin: TCPSequence
        package var end: TCPSequence
    }

    package struct Timestamp: Hashable, Sendable {
        package var value: TCPSequence
        package var echo: TCPSequence
    }

    init?(_ cursor: inout ByteCursor) {
        guard let source = cursor.word(), let destination = cursor.word(), let sequence = cursor.long(),
            let acknowledgment = cursor.long(), let length = cursor.byte(), let flags = cursor.byte(),
            let window = cursor.word(), cursor.skip(4)
        else { return nil }
        (sourcePort, destinationPort) = (source, destination)
        (self.sequence, self.acknowledgment) = (TCPSequence(sequence), TCPSequence(acknowledgment))
        (self.flags, self.window) = (Flags(rawValue: flags), window)
        headerLength = Int(length >> 4) * 4
        guard let options = cursor.bytes(headerLength - 20) else { return nil }
        read(options)
    }

    /// Reads the options without a copy: most segments have options.
    private mutating func read(_ options: ArraySlice<UInt8>) {
        func number(at index: Int) -> TCPSequence {
            TCPSequence(options[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        var index = options.startIndex
        while index < options.endIndex, options[index] != 0 {
            // One byte of padding.
            guard options[index] != 1 else {
                index += 1
                continue
            }
            guard index + 1 < options.endIndex, case let length = Int(options[index + 1]), length >= 2,
                index + length <= options.endIndex
            else { return }
            switch (options[index], length) {
            case (2, 4...): maximumSegment = UInt16(options[index + 2]) << 8 | UInt16(options[index + 3])
            case (5, 10...):
                for block in stride(from: index + 2, through: index + length - 8, by: 8) {
                    selectiveAcknowledgments.append(Block(begin: number(at: block), end: number(at: block + 4)))
                }
            case (8, 10...): timestamp = Timestamp(value: number(at: index + 2), echo: number(at: index + 6))
            default: break
            }
            index += length
        }
    }
}
