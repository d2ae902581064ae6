// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// A packet without what a link changes in one that it delivers: checksums, which may be computed later, and ECN.
struct PacketImage {
    /// Equal for the same packet before and after a link; other packets have another one, all but certainly.
    struct Key: Hashable {
        var hash: UInt64
        var length: Int
    }

    let bytes: [UInt8]
    let key: Key
    /// Where the IP header begins; nil if there is none.
    private let network: Int?
    private let isIPv6: Bool
    /// Where the header of TCP or UDP begins, and where its checksum is.
    private let transport: (start: Int, checksum: Int)?
    private let end: Int

    init(_ packet: CapturedPacket, _ linkType: CapturedInterface.LinkType) {
        bytes = packet.bytes
        let headers = PacketHeaders(packet.bytes, linkType, length: packet.length)
        network = headers.ip.map { _ in headers.ethernet.map { 14 + 4 * $0.vlans.count } ?? 0 }
        isIPv6 = headers.ip?.source.family == .ipv6
        switch headers.transport {
        case .tcp(let tcp):
            let start = headers.payload.lowerBound - tcp.headerLength
            transport = (start, start + 16)
        case .udp: transport = (headers.payload.lowerBound - 8, headers.payload.lowerBound - 2)
        default: transport = nil
        }
        // A datagram's checksum covers all of its fragments.
        let isComplete =
            headers.ip?.isFragment == false && packet.bytes.count == packet.length
            && headers.payload.count == headers.payloadLength
        end = isComplete ? headers.payload.upperBound : 0
        var rest = packet.bytes
        for (offset, mask) in Self.changing(network, isIPv6: isIPv6, checksum: transport?.checksum)
        where offset < rest.count { rest[offset] &= ~mask }
        key = Key(hash: Self.hash(rest), length: packet.length)
    }

    /// The bits that a link may change: places and masks.
    private static func changing(_ network: Int?, isIPv6: Bool, checksum: Int?) -> [(Int, UInt8)] {
        guard let network else { return [] }
        var changing = [(network + 1, UInt8(isIPv6 ? 0x30 : 0x03))]
        let checksums = [isIPv6 ? nil : network + 10, checksum].compactMap { $0 }
        for place in checksums { changing += [(place, 0xFF), (place + 1, 0xFF)] }
        return changing
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            func add(_ word: UInt64) {
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
            }
            var place = 0
            while place + 8 <= bytes.count {
                add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            while place < bytes.count {
                add(UInt64(bytes[place]))
                place += 1
            }
            return hash
        }
    }

    /// Whether `after`, whose checksums are final, is this packet with one bit changed, in what is neither a checksum nor
    /// ECN.
    func isCorrupted(in after: PacketImage) -> Bool {
        guard key.length == after.key.length, bytes.count == after.bytes.count else { return false }
        // The bit may be in what tells where the headers are: this image, which is right, says what may differ.
        let changing = Self.changing(network, isIPv6: isIPv6, checksum: transport?.checksum)
        var changed: Int?
        for place in bytes.indices where bytes[place] != after.bytes[place] {
            let mask = changing.first { $0.0 == place }?.1 ?? 0
            let bits = ((bytes[place] ^ after.bytes[place]) & ~mask).nonzeroBitCount
            guard bits < 2, bits == 0 || changed == nil else { return false }
            if bits == 1 { changed = place }
        }
        guard let changed else { return false }
        // Another packet, whose contents happen to be similar, has a right checksum.
        guard let network, after.transport != nil, after.end > 0, changed >= network + (isIPv6 ? 8 : 0) else {
            // No checksum covers it.
            return true
        }
        return !after.isChecksumRight(unlike: nil)
    }
}

extension PacketImage {
    /// The ECN bits of RFC 3168; nil without an IP header.
    private var ecn: UInt8? { network.map { isIPv6 ? bytes[$0 + 1] >> 4 & 3 : bytes[$0 + 1] & 3 } }

    /// What happened to this packet, whose image is that of `after`: it was marked, corrupted in a checksum or in ECN, or
    /// passed.
    func outcome(of after: PacketImage, hasFinalChecksums: (before: Bool, after: Bool)) -> PacketFate.Outcome {
        if hasFinalChecksums.after, !after.isChecksumRight(unlike: hasFinalChecksums.before ? self : nil) {
            return .corrupted
        }
        guard let ecn, let new = after.ecn, ecn != new else { return .passed }
        return new == 3 && ecn != 0 ? .marked : .corrupted
    }

    /// Whether the checksums are right: that of TCP or UDP if it is that of `before`, which the sender may have got wrong.
    private func isChecksumRight(unlike before: PacketImage?) -> Bool {
        guard let network else { return true }
        if !isIPv6 {
            let header = network..<network + Int(bytes[network] & 0xF) * 4
            guard header.upperBound <= bytes.count, Self.sum(bytes[header]) == 0xFFFF else { return false }
        }
        guard let transport, transport.checksum + 2 <= bytes.count else { return true }
        let field = bytes[transport.checksum..<transport.checksum + 2]
        if let before { return before.bytes[transport.checksum..<transport.checksum + 2] == field }
        guard end > 0 else { return true }
        let isUDP = transport.checksum == transport.start + 6
        let addresses = bytes[(isIPv6 ? network + 8 : network + 12)..<(isIPv6 ? network + 40 : network + 20)]
        let length = end - transport.start
        let sum = Self.sum(addresses) + Self.sum(bytes[transport.start..<end]) + (isUDP ? 17 : 6) + length
        return Self.folded(sum) == 0xFFFF
    }

    /// The sum of RFC 1071.
    private static func sum(_ bytes: ArraySlice<UInt8>) -> Int {
        var sum = 0
        for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        return folded(sum)
    }

    private static func folded(_ sum: Int) -> Int {
        var sum = sum
        while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
        return sum
    }
}
