// SPDX-License-Identifier: Apache-2.0

/// What the pump keeps of a frame beside its bytes.
struct FrameRecord {
    var layout = FrameLayout()
    /// Bytes of the frame, without its virtio-net header.
    var length = 0
    /// Bytes of payload in each segment of a super-packet, but for the last one; 0 where it is one packet.
    var segmentSize = 0
    /// Wire packets in the frame.
    var segments = 1
    /// Packets in lanes that stand for it, or for parts of it.
    var references = 0
    /// Which device it came from and goes back to.
    var input = 0
    /// Nanoseconds of the monotonic clock.
    var arrival: Int64 = 0
}

/// A frame in a block of the pool: its record, its virtio-net header, its bytes.
struct StoredFrame {
    /// Where the virtio-net header begins. The IP header of an untagged frame then lies on a multiple of 8.
    static let headerOffset = 128
    static let bytesOffset = headerOffset + VirtioHeader.size
    /// Room for a frame in the largest block.
    static let largestRead = FramePool.largestBlock - headerOffset

    let start: UnsafeMutableRawPointer

    @inline(__always) init(_ start: UnsafeMutableRawPointer) { self.start = start }

    @inline(__always) var record: UnsafeMutablePointer<FrameRecord> { start.assumingMemoryBound(to: FrameRecord.self) }
    @inline(__always) var header: UnsafeMutableRawPointer { start + Self.headerOffset }
    @inline(__always) var bytes: UnsafeMutableRawPointer { start + Self.bytesOffset }

    /// Bytes of the block that are in use.
    @inline(__always) var blockBytes: Int { Self.bytesOffset &+ record.pointee.length }

    /// Fills in the record of a frame of `count` bytes, virtio-net header included, that was read into the block.
    func describe(count: Int, input: Int) {
        let length = count - VirtioHeader.size
        var record = FrameRecord()
        record.layout = FrameLayout(UnsafeRawBufferPointer(start: bytes, count: length))
        record.length = length
        record.input = input
        let header = VirtioHeader(at: header)
        let layout = record.layout
        let size = Int(header.segmentSize)
        let body = layout.end - Int(layout.payload)
        if header.type != 0, size > 0, layout.transport != 0, layout.fragment == .none, body > size,
            Int(layout.payload) <= FrameWriter.longestHeader
        {
            let isKnown =
                switch header.segmentation {
                case .tcp4, .tcp6: layout.kind == .tcp
                case .udp: layout.kind == .udp
                default: false
                }
            if isKnown {
                record.segmentSize = size
                record.segments = (body + size - 1) / size
            }
        }
        start.initializeMemory(as: FrameRecord.self, to: record)
    }

    /// Bytes that all its wire packets count.
    @inline(__always) var wireBytes: Int {
        let record = record.pointee
        let headers = Int(record.layout.payload) &- Int(record.layout.network) &+ 14
        return record.layout.countedBytes &+ (record.segments &- 1) &* headers
    }

    /// Bytes that one wire packet counts on any link: its IP packet and an Ethernet header.
    @inline(__always) func countedBytes(_ segment: Int) -> Int {
        let record = record.pointee
        guard record.segments > 1 else { return record.layout.countedBytes }
        let before = Int(record.layout.payload) &- Int(record.layout.network) &+ 14
        let behind = record.layout.end &- Int(record.layout.payload) &- segment &* record.segmentSize
        return before &+ min(behind, record.segmentSize)
    }
}
