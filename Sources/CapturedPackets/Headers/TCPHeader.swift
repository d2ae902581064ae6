// SPDX-License-Identifier: Apache-2.0

/// The header of a TCP segment: RFC 9293.
public struct TCPHeader: Hashable, Sendable {
    /// The control bits.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The byte of the header.
        public let rawValue: UInt8

        /// The bits of a header's byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The sender has no more data.
        public static let fin = Flags(rawValue: 1)
        /// Opens the connection.
        public static let syn = Flags(rawValue: 2)
        /// Ends the connection at once.
        public static let reset = Flags(rawValue: 4)
        /// The receiver is to hand the data over.
        public static let push = Flags(rawValue: 8)
        /// The acknowledgment number counts.
        public static let acknowledgment = Flags(rawValue: 16)
        /// The urgent pointer counts.
        public static let urgent = Flags(rawValue: 32)
        /// ECE of RFC 3168: a packet came with a congestion mark.
        public static let congestionEcho = Flags(rawValue: 64)
        /// CWR of RFC 3168: the sender has slowed down.
        public static let congestionReduced = Flags(rawValue: 128)
    }

    /// The sender's port.
    public var sourcePort: UInt16
    /// The receiver's port.
    public var destinationPort: UInt16
    /// The number of the first byte of the payload, or of SYN.
    public var sequence: UInt32
    /// The number of the byte that is expected next.
    public var acknowledgment: UInt32
    /// The control bits.
    public var flags: Flags
    /// The length of the header with its options, in bytes.
    public var headerLength: Int
    /// The window as it is in the header, without its scale.
    public var window: UInt16
    /// The largest segment that the sender takes; nil without the option.
    public var maximumSegment: UInt16?
    /// The shift of windows; nil without the option.
    public var windowScale: UInt8?
    /// Whether the sender understands selective acknowledgments.
    public var allowsSelectiveAcknowledgment = false
    /// Bytes beyond `acknowledgment` that have arrived: begin and end of each block (RFC 2018).
    public var selectiveAcknowledgments: [SequenceRange] = []
    /// The timestamps of RFC 7323: the sender's value, and the echo.
    public var timestamp: Timestamp?

    /// A block of sequence numbers, which may wrap; the end is not part of it.
    public struct SequenceRange: Hashable, Sendable {
        /// The first number.
        public var begin: UInt32
        /// The number after the last.
        public var end: UInt32
    }

    /// A timestamp option.
    public struct Timestamp: Hashable, Sendable {
        /// The sender's clock.
        public var value: UInt32
        /// The value of the other side that it echoes.
        public var echo: UInt32
    }

    init?(_ cursor: inout ByteCursor) {
        guard let source = cursor.word(), let destination = cursor.word(), let sequence = cursor.long(),
            let acknowledgment = cursor.long(), let length = cursor.byte(), let flags = cursor.byte(),
            let window = cursor.word(), cursor.long() != nil
        else { return nil }
        sourcePort = source
        destinationPort = destination
        self.sequence = sequence
        self.acknowledgment = acknowledgment
        self.flags = Flags(rawValue: flags)
        self.window = window
        headerLength = Int(length >> 4) * 4
        guard let options = cursor.bytes(headerLength - 20) else { return nil }
        read(options)
    }

    private mutating func read(_ options: ArraySlice<UInt8>) {
        var cursor = ByteCursor(options)
        while let kind = cursor.byte(), kind != 0 {
            // One byte of padding.
            if kind == 1 { continue }
            guard let length = cursor.byte(), length >= 2, let value = cursor.bytes(Int(length) - 2) else { return }
            var inner = ByteCursor(value)
            switch kind {
            case 2: maximumSegment = inner.word()
            case 3: windowScale = inner.byte()
            case 4: allowsSelectiveAcknowledgment = true
            case 5:
                while let begin = inner.long(), let end = inner.long() {
                    selectiveAcknowledgments.append(SequenceRange(begin: begin, end: end))
                }
            case 8:
                if let value = inner.long(), let echo = inner.long() { timestamp = Timestamp(value: value, echo: echo) }
            default: break
            }
        }
    }
}
