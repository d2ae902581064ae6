// SPDX-License-Identifier: Apache-2.0

/// Makes frames again of stored ones, or of some wire packets of a super-packet, as the kernel would have cut it.
struct FrameWriter: ~Copyable {
    /// Bytes of headers up to which a super-packet is cut; a longer one counts as one packet.
    static let longestHeader = 512

    /// What has happened to the packets on their way.
    struct Changes: Equatable {
        /// ECN CE (RFC 3168) is set.
        var isMarked = false
        /// A bit is flipped, counted from the first byte of the IP packet on; one that falls into the headers is taken
        /// as one of the payload, because a packet with a broken IP header would be lost and not corrupted.
        var flippedBit: UInt32?

        static let none = Changes()
    }

    private let scratch: UnsafeMutableRawPointer

    init() {
        scratch = .allocate(byteCount: FramePool.largestBlock, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// The bytes to write, virtio-net header first, in two parts that stay until the next call.
    ///
    /// - Parameters:
    ///   - first: the first wire packet, from 0.
    ///   - count: how many that follow each other; more than one become a super-packet.
    @inline(__always) func parts(
        of frame: StoredFrame,
        first: Int,
        count: Int,
        _ changes: Changes
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        let record = frame.record.pointee
        if count == record.segments, changes == .none {
            return (
                UnsafeRawBufferPointer(start: frame.header, count: VirtioHeader.size &+ record.length),
                UnsafeRawBufferPointer(start: nil, count: 0)
            )
        }
        return changedParts(of: frame, first: first, count: count, changes)
    }

    private func changedParts(
        of frame: StoredFrame,
        first: Int,
        count: Int,
        _ changes: Changes
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        let record = frame.record.pointee
        let layout = record.layout
        let isWhole = count == record.segments
        // Headers are copied and the payload stays where it is; of a packet that cannot be cut, everything is.
        let copied =
            layout.payload > 0 && Int(layout.payload) <= Self.longestHeader ? Int(layout.payload) : record.length
        scratch.copyMemory(from: frame.header, byteCount: VirtioHeader.size + copied)
        let start = isWhole ? copied : copied + first * record.segmentSize
        let end = isWhole ? record.length : min(start + count * record.segmentSize, layout.end)
        if !isWhole {
            SegmentHeaders(headers: scratch + VirtioHeader.size, virtio: scratch, layout: layout)
                .rewrite(
                    size: record.segmentSize,
                    first: first,
                    count: count,
                    bytes: end - start,
                    isLast: end == layout.end
                )
        }
        if changes.isMarked, layout.kind != .opaque { mark(layout) }
        let behind = UnsafeRawBufferPointer(start: frame.bytes + start, count: end - start)
        guard let bit = changes.flippedBit else {
            return (UnsafeRawBufferPointer(start: scratch, count: VirtioHeader.size + copied), behind)
        }
        if let source = behind.baseAddress {
            (scratch + VirtioHeader.size + copied).copyMemory(from: source, byteCount: behind.count)
        }
        let length = copied + behind.count
        corrupt(layout, length, bit)
        return (
            UnsafeRawBufferPointer(start: scratch, count: VirtioHeader.size + length),
            UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    /// Sets CE, and mends the checksum that covers it; IPv6 has none.
    private func mark(_ layout: FrameLayout) {
        let network = scratch + VirtioHeader.size + Int(layout.network)
        if layout.isIPv6 {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 0x30)
        } else {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 3)
            SegmentHeaders.completeIPv4(network)
        }
    }

    /// Flips one bit behind the headers, or in the transport header where nothing is behind it. A checksum that was
    /// left to the device is completed first: otherwise it would be right for the wrong bytes.
    private func corrupt(_ layout: FrameLayout, _ length: Int, _ bit: UInt32) {
        var virtio = VirtioHeader(at: scratch)
        let frame = scratch + VirtioHeader.size
        let end = min(length, layout.end)
        if virtio.flags & VirtioHeader.needsChecksum != 0 {
            let start = Int(virtio.checksumStart)
            let field = start + Int(virtio.checksumOffset)
            if start < end, field + 2 <= end {
                var checksum = Checksum()
                checksum.add(frame + start, end - start)
                let value = checksum.complement
                // UDP's zero says that there is no checksum.
                frame.setWord(field, value == 0 && layout.kind == .udp ? 0xFFFF : value)
            }
        }
        virtio.flags &= ~(VirtioHeader.needsChecksum | VirtioHeader.checksumIsValid)
        virtio.checksumStart = 0
        virtio.checksumOffset = 0
        if virtio.type == 0 { virtio.headerLength = 0 }
        virtio.store(at: scratch)
        var from = layout.payload > 0 ? Int(layout.payload) : Int(layout.network) + (layout.isIPv6 ? 40 : 20)
        if from >= end { from = layout.transport > 0 ? Int(layout.transport) : Int(layout.network) }
        guard from < end else { return }
        var byte = Int(layout.network) + Int(bit >> 3)
        if byte < from || byte >= end { byte = from + Int(bit >> 3) % (end - from) }
        frame.setByte(byte, UnsafeRawPointer(frame).byte(byte) ^ UInt8(1 << (bit & 7)))
    }
}
