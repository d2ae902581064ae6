// SPDX-License-Identifier: Apache-2.0

internal import PacketPump

/// Reassembles fragmented packets (RFC 791, RFC 8200), within bounds of memory and time.
struct Reassembly {
    private struct Key: Hashable {
        let ends: Ends
        let identification: UInt32
        let transport: UInt8
    }

    private struct Piece {
        let offset: Int
        let bytes: [UInt8]
    }

    private struct Partial {
        let began: Int64
        var pieces: [Piece] = []
        /// The IP header, from the first fragment.
        var header: [UInt8] = []
        /// The number of bytes after the IP header, from the last fragment; nil before it has arrived.
        var length: Int?
        var held = 0
    }

    /// The most incomplete packets at the same time; one more drops the oldest. Each has at most 64 KiB.
    private static let maximum = 64
    /// The time within which all fragments of a packet must arrive, in nanoseconds: net.ipv4.ipfrag_time is 30 s.
    private static let fragmentTimeout: Int64 = 30_000_000_000
    private static let largest = 65_535

    private var partials: [Key: Partial] = [:]

    var count: Int { partials.count }

    /// Adds a fragment. Returns the whole packet, with its virtio-net header, if no fragment is missing any more.
    mutating func add(_ packet: TransportPacket, now: Int64) -> [UInt8]? {
        guard let fragment = Fragment(packet) else { return nil }
        let (source, destination) = packet.ends
        let key = Key(
            ends: Ends(
                client: FlowEndpoint(address: source.address, port: 0),
                server: FlowEndpoint(address: destination.address, port: 0)
            ),
            identification: packet.layout.identification,
            transport: fragment.transport
        )
        var partial = partials[key] ?? Partial(began: now)
        let end = fragment.offset + fragment.bytes.count
        guard now - partial.began <= Self.fragmentTimeout, end <= Self.largest,
            partial.held + fragment.bytes.count <= Self.largest
        else {
            partials[key] = nil
            return nil
        }
        if fragment.offset == 0 { partial.header = fragment.header }
        if !fragment.hasMore { partial.length = end }
        partial.pieces.append(Piece(offset: fragment.offset, bytes: fragment.bytes))
        partial.held += fragment.bytes.count
        partials[key] = partial
        if partials.count > Self.maximum, let oldest = partials.min(by: { $0.value.began < $1.value.began }) {
            partials[oldest.key] = nil
        }
        precondition(partials.count <= Self.maximum, "more packets are incomplete than may be")
        guard let length = partial.length, !partial.header.isEmpty, partial.held >= length else { return nil }
        partials[key] = nil
        return Self.join(partial, length)
    }

    private static func join(_ partial: Partial, _ length: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: VirtioHeader.size) + partial.header
        let begin = result.count
        for piece in partial.pieces.sorted(by: { $0.offset < $1.offset }) {
            // A packet whose pieces overlap is dropped (RFC 5722).
            guard result.count - begin == piece.offset else { return nil }
            result += piece.bytes
        }
        guard result.count - begin == length else { return nil }
        let isIPv4 = result[VirtioHeader.size] >> 4 == 4
        let total = isIPv4 ? result.count - VirtioHeader.size : length
        guard total <= largest else { return nil }
        let place = VirtioHeader.size + (isIPv4 ? 2 : 4)
        (result[place], result[place + 1]) = (UInt8(total >> 8), UInt8(total & 0xFF))
        return result
    }
}

/// A fragment and its position in the packet.
private struct Fragment {
    let offset: Int
    let hasMore: Bool
    let transport: UInt8
    /// The packet's IP header, without the fields for fragmentation.
    let header: [UInt8]
    let bytes: [UInt8]

    /// Reads a fragment; nil if it is malformed, or has IP options or other extension headers before the fragment
    /// header.
    init?(_ packet: TransportPacket) {
        let all = UnsafeRawBufferPointer(start: packet.bytes, count: packet.layout.end)
        guard let start = all.baseAddress else { return nil }
        if packet.layout.isIPv6 {
            guard all.count > 48, start.byte(6) == 44 else { return nil }
            offset = Int(start.word(42) & 0xFFF8)
            hasMore = start.word(42) & 1 != 0
            transport = start.byte(40)
            var header = Array(all[..<40])
            header[6] = transport
            (self.header, bytes) = (header, Array(all[48...]))
        } else {
            guard all.count > 20, start.byte(0) == 0x45 else { return nil }
            offset = Int(start.word(6) & 0x1FFF) * 8
            hasMore = start.word(6) & 0x2000 != 0
            transport = start.byte(9)
            var header = Array(all[..<20])
            (header[6], header[7]) = (0, 0)
            (self.header, bytes) = (header, Array(all[20...]))
        }
        guard !hasMore || bytes.count % 8 == 0 else { return nil }
    }
}
