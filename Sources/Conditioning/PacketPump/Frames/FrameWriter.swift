// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Makes the frames to write from stored frames, or from some wire packets of a super-packet, as the kernel's GSO does.
struct FrameWriter: ~Copyable {
    /// The longest headers in bytes of a super-packet that is split; one with longer headers counts as one packet.
    static let longestHeader = 512

    /// The impairments of the packets' content.
    struct Changes: Equatable {
        /// Whether ECN CE (RFC 3168) is set.
        var isMarked = false
        /// The bit to flip, counted from the first byte of the IP packet. A bit of the headers is replaced by one of
        /// the payload, because a packet with an invalid IP header is lost rather than corrupted.
        var flippedBit: UInt32?

        static let none = Changes()
    }

    let scratch: UnsafeMutableRawPointer

    init() {
        scratch = .allocate(byteCount: FramePool.largestBlock, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// The bytes of wire packets to write, starting with the virtio-net header, in two pieces that are valid until the
    /// next call. Several wire packets form a super-packet.
    @inline(__always) func pieces(
        of part: FramePart,
        _ changes: Changes
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        let record = part.frame.record.pointee
        precondition(part.first >= 0 && part.count > 0 && part.first &+ part.count <= record.segments, "no such part")
        guard part.count == record.segments, changes == .none else { return changedPieces(of: part, changes) }
        return (
            UnsafeRawBufferPointer(start: part.frame.header, count: VirtioHeader.size &+ record.length),
            UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    private func changedPieces(
        of part: FramePart,
        _ changes: Changes
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        let record = part.frame.record.pointee
        let layout = record.layout
        let isWhole = part.count == record.segments
        // Only headers are copied; a packet that cannot be split is copied whole.
        let copied =
            layout.payload > 0 && Int(layout.payload) <= Self.longestHeader ? Int(layout.payload) : record.length
        scratch.copyMemory(from: part.frame.header, byteCount: VirtioHeader.size + copied)
        let start = isWhole ? copied : copied + part.first * record.segmentSize
        let end = isWhole ? record.length : min(start + part.count * record.segmentSize, layout.end)
        precondition(copied <= start && start <= end && end <= record.length, "a part outside of its frame")
        if !isWhole {
            rewriteHeaders(layout, part, size: record.segmentSize, bytes: end - start, isLast: end == layout.end)
        }
        if changes.isMarked, layout.kind != .opaque { mark(layout) }
        var length = copied
        var rest = UnsafeRawBufferPointer(start: part.frame.bytes + start, count: end - start)
        if let bit = changes.flippedBit {
            if let source = rest.baseAddress {
                (scratch + VirtioHeader.size + copied).copyMemory(from: source, byteCount: rest.count)
            }
            length += rest.count
            rest = UnsafeRawBufferPointer(start: nil, count: 0)
            corrupt(layout, length, bit)
        }
        return (UnsafeRawBufferPointer(start: scratch, count: VirtioHeader.size + length), rest)
    }

    /// Sets CE, and updates the IPv4 header checksum.
    private func mark(_ layout: FrameLayout) {
        let network = scratch + VirtioHeader.size + Int(layout.network)
        if layout.isIPv6 {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 0x30)
        } else {
            network.setByte(1, UnsafeRawPointer(network).byte(1) | 3)
            Self.completeIPv4(network)
        }
    }

    /// Flips one bit of the payload, or of the transport header if there is no payload. A checksum that was left to the
    /// device is completed first, because it would otherwise be computed over the flipped bit.
    private func corrupt(_ layout: FrameLayout, _ length: Int, _ bit: UInt32) {
        var virtio = scratch.load(as: VirtioHeader.self)
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
        scratch.storeBytes(of: virtio, as: VirtioHeader.self)
        var from = layout.payload > 0 ? Int(layout.payload) : Int(layout.network) + (layout.isIPv6 ? 40 : 20)
        if from >= end { from = layout.transport > 0 ? Int(layout.transport) : Int(layout.network) }
        guard from < end else { return }
        var byte = Int(layout.network) + Int(bit >> 3)
        if byte < from || byte >= end { byte = from + Int(bit >> 3) % (end - from) }
        frame.setByte(byte, UnsafeRawPointer(frame).byte(byte) ^ UInt8(1 << (bit & 7)))
    }
}
