// SPDX-License-Identifier: Apache-2.0

/// Reads DNS messages over TCP, each of which follows its length (RFC 1035, section 4.2.2).
struct DNSStreamReader: StreamReader {
    /// A message, with the packets of its first and its last byte.
    struct Message {
        var bytes: [UInt8]
        var first: ObservedPacket
        var last: ObservedPacket
    }

    /// The length of the longest message that is read; at a longer one, reading of the side stops.
    private static let longest = 16 << 10

    private struct Side {
        var buffer: [UInt8] = []
        var first: ObservedPacket?
        var hasEnded = false

        mutating func read(_ piece: StreamPiece) -> [Message] {
            var messages: [Message] = []
            for byte in piece.bytes where !hasEnded {
                if buffer.isEmpty { first = piece.packet }
                buffer.append(byte)
                guard buffer.count >= 2 else { continue }
                let length = Int(buffer[0]) << 8 | Int(buffer[1])
                guard length <= DNSStreamReader.longest else {
                    hasEnded = true
                    break
                }
                guard buffer.count == length + 2 else { continue }
                messages.append(
                    Message(bytes: Array(buffer.dropFirst(2)), first: first ?? piece.packet, last: piece.packet)
                )
                buffer = []
            }
            if piece.missing > 0 { hasEnded = true }
            if hasEnded { buffer = [] }
            return messages
        }
    }

    private var client = Side()
    private var server = Side()
    /// The messages that have been completed since the last call of `drain`.
    private var messages: [Message] = []

    /// Always false: the piece that ends a side's stream may complete messages that have not been returned yet.
    var isFinished: Bool { false }

    mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        messages += side == .client ? client.read(piece) : server.read(piece)
    }

    /// Removes and returns the messages.
    mutating func drain() -> [Message] {
        defer { messages = [] }
        return messages
    }

    func describe(_ connection: inout Connection) {}
}
