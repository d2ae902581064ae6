// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The pump's record of a frame.
struct FrameRecord {
    var layout = FrameLayout()
    /// Bytes of the frame, without its virtio-net header.
    var length = 0
    /// Bytes of payload in each segment of a super-packet except the last; 0 for a single packet.
    var segmentSize = 0
    /// The number of wire packets in the frame.
    var segments = 1
    /// The number of packets in lanes that refer to the frame.
    var references = 0
    /// The index of the device that the frame came from.
    var input = 0
    /// The time of arrival, in nanoseconds of the monotonic clock.
    var arrival: Int64 = 0
    /// The number of the arrival in a ``PacketRecorder``; 0 for none.
    var number: UInt64 = 0
    /// The fault that made the frame; nil for a frame that has arrived.
    var maker: FaultMark?
}

/// A frame in a block of the pool: its record, its virtio-net header, its bytes.
struct StoredFrame {
    /// The offset of the virtio-net header. It aligns the IP header of an untagged frame to 8 bytes.
    static let headerOffset = 128
    static let bytesOffset = headerOffset + VirtioHeader.size
    /// The space for a frame in the largest block, with its virtio-net header.
    static let frameCapacity = FramePool.largestBlock - headerOffset

    let start: UnsafeMutableRawPointer

    @inline(__always) init(_ start: UnsafeMutableRawPointer) { self.start = start }

    @inline(__always) var record: UnsafeMutablePointer<FrameRecord> { start.assumingMemoryBound(to: FrameRecord.self) }
    @inline(__always) var header: UnsafeMutableRawPointer { start + Self.headerOffset }
    @inline(__always) var bytes: UnsafeMutableRawPointer { start + Self.bytesOffset }

    /// Bytes of the block that are in use.
    @inline(__always) var blockBytes: Int { Self.bytesOffset &+ record.pointee.length }

    /// Sets the record of a frame of `count` bytes, including the virtio-net header, that was read into the block.
    func describe(count: Int, input: Int) {
        precondition(
            count >= VirtioHeader.size && count <= Self.frameCapacity,
            "more was read than a block has room for"
        )
        let length = count - VirtioHeader.size
        var record = FrameRecord()
        record.layout = FrameLayout(UnsafeRawBufferPointer(start: bytes, count: length))
        record.length = length
        record.input = input
        let header = header.load(as: VirtioHeader.self)
        let layout = record.layout
        precondition(layout.end <= length && Int(layout.payload) <= layout.end, "a header outside of its frame")
        let size = Int(header.segmentSize)
        let body = layout.end - Int(layout.payload)
        if header.type != 0, size > 0, layout.transport != 0, layout.fragment == .none, body > size,
            Int(layout.payload) <= FrameWriter.longestHeader
        {
            switch (header.segmentation, layout.kind) {
            case (.tcp4, .tcp), (.tcp6, .tcp), (.udp, .udp):
                record.segmentSize = size
                record.segments = (body + size - 1) / size
            default: break
            }
        }
        start.initializeMemory(as: FrameRecord.self, to: record)
    }

    /// The size of all wire packets of the frame as profiles count it: their IP packets, and an Ethernet header for
    /// each.
    @inline(__always) var wireBytes: Int {
        let record = record.pointee
        let headers = Int(record.layout.payload) &- Int(record.layout.network) &+ 14
        return record.layout.countedBytes &+ (record.segments &- 1) &* headers
    }

    /// All wire packets of the frame.
    @inline(__always) var whole: FramePart { FramePart(frame: self, first: 0, count: record.pointee.segments) }

    /// The size of one wire packet as profiles count it: its IP packet and an Ethernet header.
    @inline(__always) func countedBytes(_ segment: Int) -> Int {
        let record = record.pointee
        precondition(segment >= 0 && segment < record.segments, "a frame has no such wire packet")
        guard record.segments > 1 else { return record.layout.countedBytes }
        let before = Int(record.layout.payload) &- Int(record.layout.network) &+ 14
        let rest = record.layout.end &- Int(record.layout.payload) &- segment &* record.segmentSize
        return before &+ min(rest, record.segmentSize)
    }
}

/// Wire packets of a frame that share one fate.
struct FramePart {
    var frame: StoredFrame
    /// The index of the first wire packet.
    var first: Int
    /// The number of wire packets.
    var count = 1

    /// The size of these wire packets as profiles count it.
    var countedBytes: Int { (first..<first &+ count).reduce(0) { $0 &+ frame.countedBytes($1) } }

    /// Whether the wire packets of `other` come right after these in the same frame.
    @inline(__always) func isFollowed(by other: FramePart) -> Bool {
        frame.start == other.frame.start && first &+ count == other.first
    }
}
