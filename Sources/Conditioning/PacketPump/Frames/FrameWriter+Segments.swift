// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

extension FrameWriter {
    private static let fin: UInt8 = 0x01
    private static let push: UInt8 = 0x08
    private static let windowReduced: UInt8 = 0x80

    /// Rewrites the copied headers of a super-packet for the segments in `part`, as tcp_gso_segment and
    /// __udp_gso_segment of the kernel do (net/ipv4/tcp_offload.c, udp_offload.c).
    ///
    /// - Parameters:
    ///   - size: the bytes of payload in a segment.
    ///   - bytes: the bytes of payload in all segments of `part`.
    ///   - isLast: whether `part` contains the super-packet's last segment.
    func rewriteHeaders(_ layout: FrameLayout, _ part: FramePart, size: Int, bytes: Int, isLast: Bool) {
        let headers = scratch + VirtioHeader.size
        let network = headers + Int(layout.network)
        let transport = headers + Int(layout.transport)
        let transportLength = Int(layout.payload) - Int(layout.transport) + bytes
        if layout.isIPv6 {
            network.setWord(4, UInt16(truncatingIfNeeded: Int(layout.payload) - Int(layout.network) - 40 + bytes))
        } else {
            network.setWord(2, UInt16(truncatingIfNeeded: Int(layout.payload) - Int(layout.network) + bytes))
            network.setWord(4, UnsafeRawPointer(network).word(4) &+ UInt16(truncatingIfNeeded: part.first))
            Self.completeIPv4(network)
        }

        var header = scratch.load(as: VirtioHeader.self)
        let sum = Checksum.pseudoHeader(
            headers + layout.addresses,
            2 * layout.addressLength,
            transport: layout.transportProtocol,
            length: transportLength
        )
        if layout.kind == .tcp {
            let sequence = UnsafeRawPointer(transport).long(4) &+ UInt32(truncatingIfNeeded: part.first * size)
            transport.setLong(4, sequence)
            var flags = UnsafeRawPointer(transport).byte(13)
            if !isLast { flags &= ~(Self.fin | Self.push) }
            if part.first > 0 { flags &= ~Self.windowReduced }
            transport.setByte(13, flags)
            transport.setWord(16, sum)
            header.checksumOffset = 16
            if flags & Self.windowReduced == 0 { header.type &= ~VirtioHeader.explicitCongestion }
        } else {
            transport.setWord(4, UInt16(truncatingIfNeeded: transportLength))
            transport.setWord(6, sum)
            header.checksumOffset = 6
        }
        // The checksum is left to the device: a local socket does not need it.
        header.flags = VirtioHeader.needsChecksum
        header.checksumStart = layout.transport
        header.headerLength = layout.payload
        if part.count == 1 {
            header.type = 0
            header.segmentSize = 0
        }
        scratch.storeBytes(of: header, as: VirtioHeader.self)
    }

    /// Writes the checksum of an IPv4 header.
    static func completeIPv4(_ network: UnsafeMutableRawPointer) {
        network.setWord(10, 0)
        var checksum = Checksum()
        checksum.add(network, Int(UnsafeRawPointer(network).byte(0) & 0xF) * 4)
        network.setWord(10, checksum.complement)
    }
}
