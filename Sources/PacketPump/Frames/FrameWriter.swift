// SPDX-License-Identifier: Apache-2.0

/// Makes frames of stored ones, or of some wire packets of a super-packet, as the kernel's GSO does.
struct FrameWriter: ~Copyable {
    /// The longest headers in bytes of a super-packet that is split; one with longer headers counts as one packet.
    static let longestHeader = 512

    /// The impairments of the packets' content.
    struct Changes: Equatable {
        /// ECN CE (RFC 3168) is set.
        var isMarked = false
        /// The bit to flip, counted from the first byte of the IP packet. A bit of the headers is replaced by one of the
        /// payload, because a packet with an invalid IP header is lost rather than corrupted.
        var flippedBit: UInt32?

        static let none = Changes()
    }

    private let scratch: UnsafeMutableRawPointer

    init() {
        scratch = .allocate(byteCount: FramePool.largestBlock, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// The bytes to write, starting with the virtio-net header, in two parts that are valid until the next call.
    ///
    /// - Parameters:
    ///   - first: the index of the first wire packet.
    ///   - count: the number of wire packets; more than one make a super-packet.
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
        // Only headers are copied; a packet that cannot be split is copied whole.
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
        let rest = UnsafeRawBufferPointer(start: frame.bytes + start, count: end - start)
        guard let bit = changes.flippedBit else {
            return (UnsafeRawBufferPointer(start: scratch, count: VirtioHeader.size + copied), rest)
        }
        if let source = rest.baseAddress {
            (scratch + VirtioHeader.size + copied).copyMemory(from: source, byteCount: rest.count)
        }
        let length = copied + rest.count
        corrupt(layout, length, bit)
        return (
            UnsafeRawBufferPointer(start: scratch, count: VirtioHeader.size + length),
            UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    /// Sets CE, and updates the IPv4 header checksum.
    private func mark(_ layout: FrameLayout) {
        let network = scratch + VirtioHeader.size + Int(layout.network)
        if layout.isIPv6 {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 0x30)
        } else {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 3)
            SegmentHeaders.completeIPv4(network)
        }
    }

    /// Flips one bit of the payload, or of the transport header if there is no payload. A checksum that was left to the
    /// device is completed first, because it would otherwise be computed over the flipped bit.
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
                // In UDP, zero means no checksum.
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
