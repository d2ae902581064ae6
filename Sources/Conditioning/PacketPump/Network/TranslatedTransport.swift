// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// The transport header of a packet whose IP header is being replaced.
package struct TranslatedTransport {
    private let start: UnsafeMutableRawPointer
    private let virtio: UnsafeMutableRawPointer
    /// The offset of the checksum in the transport header.
    private let field: Int
    /// Whether the checksum field has the sum of the pseudo-header only, and a device computes the rest.
    private let isPartial: Bool
    private let isUDP: Bool

    /// The offset of the checksum in each transport header; ICMP and ICMPv6 have it at the same offset.
    private enum ChecksumOffset { static let (tcp, udp, icmp) = (16, 6, 2) }

    /// - Parameters:
    ///   - start: the transport header's new position.
    ///   - virtio: the virtio-net header of the packet, which may contain the transport header's old offset.
    ///   - offset: the transport header's old offset, from the start of the frame.
    package init(
        at start: UnsafeMutableRawPointer,
        in virtio: UnsafeMutableRawPointer,
        offset: Int,
        _ kind: FrameLayout.Kind
    ) {
        (self.start, self.virtio, isUDP) = (start, virtio, kind == .udp)
        field = kind == .tcp ? ChecksumOffset.tcp : kind == .udp ? ChecksumOffset.udp : ChecksumOffset.icmp
        let header = virtio.load(as: VirtioHeader.self)
        isPartial = header.flags & VirtioHeader.needsChecksum != 0 && Int(header.checksumStart) == offset
    }

    private var checksum: UInt16 { UnsafeRawPointer(start).word(field) }

    /// Whether the packet has no checksum: UDP over IPv4 may leave it out.
    var isAbsent: Bool { isUDP && !isPartial && checksum == 0 }

    /// Adds `distance` to the offsets in the virtio-net header, and sets a TCP super-packet's segmentation type.
    func move(by distance: Int, to segmentation: VirtioHeader.Segmentation) {
        var header = virtio.load(as: VirtioHeader.self)
        func move(_ offset: inout UInt16) { offset = UInt16(clamping: Int(offset) + distance) }
        if header.flags & VirtioHeader.needsChecksum != 0 { move(&header.checksumStart) }
        if header.headerLength > 0 { move(&header.headerLength) }
        if [.tcp4, .tcp6].contains(header.segmentation) {
            header.type = header.type & VirtioHeader.explicitCongestion | segmentation.rawValue
        }
        virtio.storeBytes(of: header, as: VirtioHeader.self)
    }

    /// Updates the checksum for new addresses in the pseudo-header.
    package func replaceAddresses(_ old: UnsafeRawPointer, _ oldCount: Int, by new: UnsafeRawPointer, _ newCount: Int) {
        // ICMP of IPv4 has no pseudo-header.
        guard field != ChecksumOffset.icmp else { return }
        guard !isAbsent else { return }
        change { sum in
            for offset in stride(from: 0, to: oldCount, by: 2) { sum = Checksum.updated(sum, old.word(offset), 0) }
            for offset in stride(from: 0, to: newCount, by: 2) { sum = Checksum.updated(sum, 0, new.word(offset)) }
        }
    }

    /// Replaces a word that the checksum covers, and updates the checksum.
    package func replaceWord(_ wordAddress: UnsafeMutableRawPointer, by new: UInt16) {
        let old = UnsafeRawPointer(wordAddress).word(0)
        wordAddress.setWord(0, new)
        guard !isPartial, !isAbsent else { return }
        // At an odd offset, the word's bytes are in two words of the sum, in reverse order (RFC 1071, section 2).
        let isOdd = (wordAddress - start) & 1 != 0
        change { $0 = Checksum.updated($0, isOdd ? old.byteSwapped : old, isOdd ? new.byteSwapped : new) }
    }

    /// Changes an ICMP echo to an ICMPv6 echo or back, and updates its checksum: only ICMPv6's covers a pseudo-header.
    ///
    /// - Parameters:
    ///   - old: the present types of a request and a reply; `new` has the types to replace them.
    ///   - pseudo: the IPv6 addresses of the pseudo-header.
    func replaceEcho(
        _ old: (UInt8, UInt8),
        _ new: (UInt8, UInt8),
        pseudo: UnsafeRawPointer,
        length: Int,
        hadPseudo: Bool
    ) {
        let type = UnsafeRawPointer(start).byte(0) == old.0 ? new.0 : new.1
        replaceWord(start, by: UInt16(type) << 8)
        let words = stride(from: 0, to: 32, by: 2).map { pseudo.word($0) } + [UInt16(truncatingIfNeeded: length), 58]
        change { sum in
            for word in words { sum = hadPseudo ? Checksum.updated(sum, word, 0) : Checksum.updated(sum, 0, word) }
        }
    }

    private func change(_ body: (inout UInt16) -> Void) {
        var sum = isPartial ? ~checksum : checksum
        body(&sum)
        if isUDP, !isPartial, sum == 0 { sum = 0xFFFF }
        start.setWord(field, isPartial ? ~sum : sum)
    }

    /// Computes the checksum of an IPv6 packet whose addresses are at `pseudo`, and clears the virtio-net header.
    func complete(pseudo: UnsafeRawPointer, length: Int, _ number: UInt8) {
        start.setWord(field, Checksum.pseudoHeader(pseudo, 32, transport: number, length: length))
        var checksum = Checksum()
        checksum.add(start, length)
        let value = checksum.complement
        start.setWord(field, isUDP && value == 0 ? 0xFFFF : value)
        virtio.storeBytes(of: VirtioHeader(), as: VirtioHeader.self)
    }
}
