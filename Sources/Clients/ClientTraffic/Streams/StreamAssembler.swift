// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Puts the payload of one side's segments into the order of the stream, without retransmitted bytes.
struct StreamAssembler {
    /// The memory for segments that wait for earlier bytes, shared by all streams of a capture.
    struct Room {
        /// The bytes that may wait in one stream. Of further segments, only the length is kept.
        static let ofStream = 16 << 10
        /// The same for a stream of which all bytes are needed: as many as may be sent after a lost segment.
        static let ofDecodedStream = 6 << 20
        /// The number of segments that may wait in one stream.
        static let segments = 4096
        /// The memory of a segment besides its payload.
        static let overhead = 96

        private static let capacity = 64 << 20
        private(set) var freeBytes = capacity

        fileprivate mutating func reserve(_ count: Int) -> Bool {
            guard count <= freeBytes else { return false }
            freeBytes -= count
            return true
        }

        fileprivate mutating func release(_ count: Int) {
            freeBytes += count
            precondition(freeBytes <= Self.capacity, "more room is given back than was taken")
        }
    }

    private struct Segment {
        var position: Int64
        var length: Int
        var bytes: ArraySlice<UInt8>
        var packet: ObservedPacket

        var end: Int64 { position + Int64(length) }
        /// The memory that a waiting segment occupies.
        var size: Int { Room.overhead + bytes.count }
    }

    /// The sequence number of position 0; nil before the first segment.
    private var initial: TCPSequence?
    private var next: Int64 = 0
    /// Damaged segments, whose bytes are unknown until they are retransmitted.
    private var unknown: [Segment] = []
    private var waiting: [Segment] = []
    private var waitingBytes = 0

    /// Whether there was no room for a segment, so that the stream cannot be read further.
    private(set) var isBroken = false

    /// Notes the sequence number of the stream's first byte, the one after the SYN.
    mutating func begin(at sequence: TCPSequence) {
        if initial == nil { initial = sequence }
    }

    /// Whether bytes were sent that have not been returned.
    var hasUnread: Bool { isBroken || !waiting.isEmpty || !unknown.isEmpty }

    /// Whether all bytes before `sequence` have been returned.
    func hasReached(_ sequence: TCPSequence) -> Bool { position(of: sequence) <= next }

    /// Notes a segment that the link has damaged. Its bytes are read when they are retransmitted.
    mutating func addUnknown(_ sequence: TCPSequence, length: Int, _ packet: ObservedPacket) {
        guard initial != nil, unknown.count < Room.segments else { return }
        let segment = Segment(position: position(of: sequence), length: length, bytes: [], packet: packet)
        // The wrong bit may be in the sequence number.
        if segment.end > next, segment.end - next <= Int64(Room.ofDecodedStream) { unknown.append(segment) }
    }

    private func position(of sequence: TCPSequence) -> Int64 {
        next + Int64(sequence.distance(from: (initial ?? 0) + Int(next)))
    }

    /// Adds a segment; returns the pieces of the stream that can be read in order now.
    mutating func add(
        _ sequence: TCPSequence,
        _ bytes: ArraySlice<UInt8>,
        length: Int,
        _ packet: ObservedPacket,
        keeping maximum: Int = Room.ofStream,
        _ room: inout Room
    ) -> [StreamPiece] {
        guard length > 0, !isBroken else { return [] }
        begin(at: sequence)
        let segment = Segment(
            position: position(of: sequence),
            length: length,
            bytes: bytes.prefix(length),
            packet: packet
        )
        guard segment.position <= next else {
            wait(segment, keeping: maximum, &room)
            return []
        }
        var pieces: [StreamPiece] = []
        handOut(segment, to: &pieces)
        while let first = waiting.first, first.position <= next {
            waiting.removeFirst()
            waitingBytes -= first.bytes.count
            precondition(waitingBytes >= 0 && (waitingBytes == 0 || !waiting.isEmpty), "bytes wait without a segment")
            room.release(first.size)
            handOut(first, to: &pieces)
        }
        return pieces
    }

    /// Drops the waiting segments, and releases their room.
    mutating func clear(_ room: inout Room) {
        for segment in waiting { room.release(segment.size) }
        (waiting, waitingBytes) = ([], 0)
    }

    private mutating func handOut(_ segment: Segment, to pieces: inout [StreamPiece]) {
        guard segment.end > next else { return }
        precondition(segment.position <= next, "a segment is handed out before those that it follows")
        let known = Int(next - segment.position)
        let bytes = segment.bytes.dropFirst(known)
        let missing = segment.length - known - bytes.count
        precondition(missing >= 0, "a segment has more bytes than its length")
        // If the first copy of the segment was damaged, the bytes were first sent with that copy.
        let damaged = unknown.isEmpty ? nil : unknown.first { $0.position <= next && $0.end > next }?.packet
        let packet = damaged.flatMap { $0.sent < segment.packet.sent ? $0 : nil } ?? segment.packet
        next = segment.end
        if !unknown.isEmpty { unknown.removeAll { $0.end <= next } }
        pieces.append(StreamPiece(bytes: bytes, missing: missing, packet: packet))
    }

    private mutating func wait(_ segment: Segment, keeping maximum: Int, _ room: inout Room) {
        var segment = segment
        // Copies the payload, so that the whole packet's buffer is not kept alive.
        let keeps = waitingBytes + segment.bytes.count <= maximum
        segment.bytes = keeps ? ArraySlice(Array(segment.bytes)) : []
        guard waiting.count < Room.segments, room.reserve(segment.size) else {
            clear(&room)
            return isBroken = true
        }
        waitingBytes += segment.bytes.count
        let position = waiting.lastIndex { $0.position <= segment.position }.map { $0 + 1 } ?? 0
        waiting.insert(segment, at: position)
        assert(zip(waiting, waiting.dropFirst()).allSatisfy { $0.position <= $1.position }, "segments out of order")
    }
}
