// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of HTTP/2 in one side's stream (RFC 9113, section 4).
///
/// nghttp2 decodes the header blocks. An nghttp2 session reads frames only as an endpoint, which answers and rejects
/// what it did not ask for; this type reads both sides of other programs' traffic.
struct HTTP2Frames {
    /// An event on a stream, from one side.
    enum Event {
        /// A header block has ended.
        case head(HTTP2Head)
        /// Bytes of a body, followed by `missing` bytes that were not kept.
        case data(ArraySlice<UInt8>, missing: Int)
        /// The side sends no more on the stream.
        case end
        /// RST_STREAM, with its error code.
        case reset(UInt32)
        /// GOAWAY: the stream is the last that may have been processed.
        case goAway
    }

    /// The connection preface: the first bytes of a client.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headerLength = 9
    /// The longest header block that is read, compressed.
    private static let longestBlock = 256 << 10

    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case pushPromise = 5
        case goAway = 7
        case continuation = 9
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let endStream = Flags(rawValue: 1)
        static let endHeaders = Flags(rawValue: 4)
        static let padded = Flags(rawValue: 8)
        static let priority = Flags(rawValue: 32)
    }

    private struct Frame {
        /// The kind of frame; nil for a type that is skipped.
        let kind: Kind?
        let flags: Flags
        let stream: UInt32
        /// The number of the frame's bytes that have not been read.
        var left: Int
        /// The bytes before the frame's content: the padding's length, a priority, a stream number, or an error code.
        var prefix: [UInt8] = []
        let prefixLength: Int
        /// The number of padding bytes after the frame's content.
        var padding = 0

        init(_ header: [UInt8]) {
            left = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            kind = Kind(rawValue: header[3])
            flags = Flags(rawValue: header[4])
            stream = UInt32(bigEndian: header[5...]) & 0x7FFF_FFFF
            let padded = flags.contains(.padded) ? 1 : 0
            switch kind {
            case .data: prefixLength = padded
            case .headers: prefixLength = padded + (flags.contains(.priority) ? 5 : 0)
            case .pushPromise: prefixLength = padded + 4
            case .reset: prefixLength = 4
            case .goAway: prefixLength = 8
            case .continuation, nil: prefixLength = 0
            }
        }

        var isPadded: Bool { flags.contains(.padded) && (kind == .data || kind == .headers || kind == .pushPromise) }
        var hasBlock: Bool { kind == .headers || kind == .pushPromise || kind == .continuation }
    }

    private let decoder: any HeaderDecoder
    /// The part of the preface that has not been read; a server sends none.
    private var preface: ArraySlice<UInt8>
    private var header: [UInt8] = []
    private var frame: Frame?
    /// The header block that is being read, with its stream, its length so far, whether it ends the stream, and whether
    /// it is a server push.
    private var block: (head: HTTP2Head, stream: UInt32, length: Int, endsStream: Bool, isPromise: Bool)?
    /// The packet in which the frame or the header block started.
    private var first: ObservedPacket?
    /// Whether the stream cannot be understood further.
    private(set) var hasEnded = false

    init(_ decoder: any HeaderDecoder, hasPreface: Bool) {
        self.decoder = decoder
        preface = hasPreface ? Self.preface[...] : []
    }

    /// Stops reading.
    mutating func end() { hasEnded = true }

    /// Reads bytes; calls `found` with each event, the event's stream and the packet in which the event started.
    mutating func read(_ piece: StreamPiece, _ found: (Event, _ stream: UInt32, _ first: ObservedPacket) -> Void) {
        var bytes = piece.bytes
        while !bytes.isEmpty, !hasEnded {
            if let expected = preface.first {
                hasEnded = bytes.removeFirst() != expected
                preface = preface.dropFirst()
            } else if let frame {
                read(frame, &bytes, piece.packet, found)
            } else {
                if header.isEmpty, block == nil { first = piece.packet }
                header.append(bytes.removeFirst())
                if header.count == Self.headerLength { begin(piece.packet, found) }
            }
        }
        if piece.missing > 0, !hasEnded { pass(piece.missing, piece.packet, found) }
    }

    private mutating func begin(_ packet: ObservedPacket, _ found: (Event, UInt32, ObservedPacket) -> Void) {
        let frame = Frame(header)
        header = []
        // No other frame may interrupt a header block (RFC 9113, section 4.3).
        let continues = frame.kind == .continuation && frame.stream == block?.stream
        guard frame.left >= frame.prefixLength, continues || block == nil && frame.kind != .continuation else {
            return hasEnded = true
        }
        if frame.kind == .headers || frame.kind == .pushPromise {
            let ends = frame.kind == .headers && frame.flags.contains(.endStream)
            block = (HTTP2Head(), frame.stream, 0, ends, frame.kind == .pushPromise)
        }
        finish(frame, packet, found)
    }

    /// Reads the next bytes of a frame: the prefix, the content, or the padding.
    private mutating func read(
        _ frame: Frame,
        _ bytes: inout ArraySlice<UInt8>,
        _ packet: ObservedPacket,
        _ found: (Event, UInt32, ObservedPacket) -> Void
    ) {
        var frame = frame
        let prefix = bytes.prefix(frame.prefixLength - frame.prefix.count)
        let part = prefix.isEmpty ? bytes.prefix(max(frame.left - frame.padding, 0)) : prefix
        // The rest is padding.
        let count = part.isEmpty ? min(bytes.count, frame.left) : part.count
        frame.left -= count
        bytes = bytes.dropFirst(count)
        if !prefix.isEmpty {
            frame.prefix += prefix
            if frame.isPadded { frame.padding = Int(frame.prefix[0]) }
            let isWhole = frame.prefix.count == frame.prefixLength
            if isWhole, frame.padding > frame.left { return hasEnded = true }
        } else if frame.kind == .data, !part.isEmpty {
            found(.data(part, missing: 0), frame.stream, packet)
        } else if frame.hasBlock, !part.isEmpty, !decode(part, isLast: false) {
            return hasEnded = true
        }
        finish(frame, packet, found)
    }

    /// Stores a frame that is still incomplete; of a complete one, reports the events.
    private mutating func finish(
        _ frame: Frame,
        _ packet: ObservedPacket,
        _ found: (Event, UInt32, ObservedPacket) -> Void
    ) {
        self.frame = frame
        guard frame.left == 0, frame.prefix.count == frame.prefixLength else { return }
        self.frame = nil
        let first = first ?? packet
        switch frame.kind {
        case .data: if frame.flags.contains(.endStream) { found(.end, frame.stream, packet) }
        case .headers, .continuation, .pushPromise:
            guard frame.flags.contains(.endHeaders) else { return }
            guard decode([], isLast: true), let block else { return hasEnded = true }
            self.block = nil
            guard !block.isPromise else { return }
            guard !block.head.isTooLong else { return hasEnded = true }
            found(.head(block.head), block.stream, first)
            if block.endsStream { found(.end, block.stream, packet) }
        case .reset: found(.reset(UInt32(bigEndian: frame.prefix[...])), frame.stream, packet)
        case .goAway: found(.goAway, UInt32(bigEndian: frame.prefix[...]) & 0x7FFF_FFFF, packet)
        case nil: break
        }
    }

    private mutating func decode(_ part: ArraySlice<UInt8>, isLast: Bool) -> Bool {
        guard var block else { return false }
        block.length += part.count
        guard block.length <= Self.longestBlock else { return false }
        let isSound = decoder.decode(part, isLast: isLast) { block.head.add(name: $0, value: $1) }
        self.block = block
        return isSound
    }

    /// Skips bytes that were not kept. That is possible only in a body, and in frames of other types.
    private mutating func pass(
        _ missing: Int,
        _ packet: ObservedPacket,
        _ found: (Event, UInt32, ObservedPacket) -> Void
    ) {
        guard var frame, frame.kind == .data || frame.kind == nil, frame.prefix.count == frame.prefixLength,
            missing <= frame.left
        else { return hasEnded = true }
        if frame.kind == .data { found(.data([], missing: missing), frame.stream, packet) }
        frame.left -= missing
        frame.padding = min(frame.padding, frame.left)
        finish(frame, packet, found)
    }
}

extension UInt32 {
    /// Decodes the first four bytes.
    fileprivate init(bigEndian bytes: ArraySlice<UInt8>) {
        self = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
