// SPDX-License-Identifier: Apache-2.0

/// Encodes a capture as pcapng (draft-ietf-opsawg-pcapng), in the byte order of the machine. Only whole blocks are
/// added, so that a file that ends after any block can be read.
///
/// ```swift
/// var encoder = PcapngEncoder(application: "linkcond 0.1.0")
/// let device = encoder.add(CapturedInterface("eth0"))
/// encoder.add(CapturedPacket(interface: device, time: now, bytes: frame))
/// encoder.drain { write($0) }
/// ```
package struct PcapngEncoder: Sendable {
    /// The encoded bytes that ``drain(_:)`` has not handed out yet.
    package private(set) var bytes: [UInt8] = []
    private var interfaceCount = 0
    /// The maximum length of a text option in bytes; an option's 16-bit length field allows 65,535.
    private static let longestText = 0xFFF0

    /// Starts a section.
    ///
    /// - Parameters:
    ///   - application: the program that makes the file.
    ///   - comments: remarks about the whole capture.
    package init(application: String, system: String? = nil, comments: [String] = []) {
        block(PcapngBlock.sectionHeader) { encoder in
            encoder.put((PcapngBlock.byteOrderMagic, UInt16(1), UInt16(0)))
            // The length of the section is not known.
            encoder.put(UInt64.max)
            for comment in comments { encoder.put(option: PcapngBlock.Option.comment, comment) }
            encoder.put(option: PcapngBlock.Option.system, system)
            encoder.put(option: PcapngBlock.Option.application, application)
            encoder.endOptions()
        }
    }

    /// Makes an encoder for blocks of a section that another encoder has started.
    package static func forBlocks() -> PcapngEncoder {
        var encoder = PcapngEncoder(application: "")
        encoder.bytes.removeAll(keepingCapacity: true)
        return encoder
    }

    /// Hands `body` the bytes encoded since the previous call, without a copy, and removes them.
    package mutating func drain<Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        defer { bytes.removeAll(keepingCapacity: true) }
        try bytes.withUnsafeBufferPointer { (all) throws(Failure) in try body(UnsafeRawBufferPointer(all)) }
    }

    /// Adds the description of an interface; required before the interface's first packet.
    ///
    /// - Returns: the interface's index, for `CapturedPacket.interface`.
    package mutating func add(_ interface: CapturedInterface) -> Int {
        block(PcapngBlock.interfaceDescription) { encoder in
            encoder.put((interface.linkType.rawValue, UInt16(0), interface.snapLength))
            encoder.put(option: PcapngBlock.Option.comment, interface.comment)
            encoder.put(option: PcapngBlock.Option.interfaceName, interface.name)
            encoder.put(option: PcapngBlock.Option.interfaceDescription, interface.description)
            encoder.put(option: PcapngBlock.Option.interfaceSpeed, interface.speed)
            // Timestamps are in units of 10^-9 s.
            encoder.put(option: PcapngBlock.Option.timeResolution, [9])
            if let filter = interface.filter {
                // The first byte, 0, says that the filter is a libpcap expression.
                encoder.put(option: PcapngBlock.Option.interfaceFilter, [0] + filter.utf8)
            }
            encoder.endOptions()
        }
        interfaceCount += 1
        return interfaceCount - 1
    }

    /// Adds a packet of an interface that has been added.
    package mutating func add(_ packet: CapturedPacket) {
        packet.bytes.withUnsafeBytes { bytes in
            add(
                bytes,
                length: packet.length,
                interface: packet.interface,
                time: packet.time,
                direction: packet.direction,
                lostBefore: packet.lostBefore,
                comments: packet.comments.map { Array($0.utf8.prefix(Self.longestText)) }
            )
        }
    }

    /// Adds a packet from bytes in the caller's memory.
    ///
    /// - Parameters:
    ///   - length: the packet's length on the interface, `data.count` or more.
    ///   - comment: fewer than 65,520 bytes; empty for none.
    package mutating func add(
        _ data: UnsafeRawBufferPointer,
        length: Int,
        interface: Int,
        time: Int64,
        direction: CapturedPacket.Direction,
        lostBefore: UInt64? = nil,
        comment: [UInt8] = []
    ) {
        add(
            data,
            length: length,
            interface: interface,
            time: time,
            direction: direction,
            lostBefore: lostBefore,
            comments: CollectionOfOne(comment)
        )
    }

    /// Adds a packet. Computes the block's length first, so that few parts are copied: a capture may hold a million
    /// packets a second.
    @inline(__always)
    private mutating func add(
        _ data: UnsafeRawBufferPointer,
        length: Int,
        interface: Int,
        time: Int64,
        direction: CapturedPacket.Direction,
        lostBefore: UInt64?,
        comments: some Collection<[UInt8]>
    ) {
        var commentSize = 0
        for comment in comments where !comment.isEmpty { commentSize += 4 + (comment.count + 3) & ~3 }
        let isPlain = commentSize == 0 && lostBefore == nil && direction != .unknown
        let padding = (4 - data.count % 4) % 4
        var size = 32 + data.count + padding + commentSize
        if direction != .unknown { size += 8 }
        if lostBefore != nil { size += 12 }
        let hasOptions = size > 32 + data.count + padding
        if hasOptions { size += 4 }
        let stamp = Self.stamp(time)
        put(
            (
                PcapngBlock.enhancedPacket, UInt32(size), UInt32(truncatingIfNeeded: interface), stamp.0, stamp.1,
                UInt32(data.count), UInt32(clamping: max(length, data.count))
            )
        )
        bytes.append(contentsOf: data)
        if isPlain {
            // Three bytes of padding at most, the flags, the end of the options, and the second copy of the length.
            let flags = (PcapngBlock.Option.packetFlags, UInt16(4), UInt32(direction.rawValue))
            let tail = (UInt32(0), flags.0, flags.1, flags.2, PcapngBlock.Option.end, UInt16(0), UInt32(size))
            return withUnsafeBytes(of: tail) { tail in
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: tail[(4 - padding)...]))
            }
        }
        for _ in 0..<padding { bytes.append(0) }
        for comment in comments where !comment.isEmpty { put(option: PcapngBlock.Option.comment, comment) }
        if direction != .unknown { put((PcapngBlock.Option.packetFlags, UInt16(4), UInt32(direction.rawValue))) }
        if let lostBefore {
            put((PcapngBlock.Option.packetDrops, UInt16(8)))
            put(lostBefore)
        }
        if hasOptions { endOptions() }
        put(UInt32(size))
    }

    /// Adds the names of addresses, of four or sixteen bytes each.
    package mutating func add(names: [(address: [UInt8], names: [String])]) {
        block(PcapngBlock.nameResolution) { encoder in
            for (address, names) in names where address.count == 4 || address.count == 16 {
                // At most 200 names of up to 256 bytes: the record's length field has 16 bits.
                let value = address + names.prefix(200).flatMap { Self.name($0) }
                encoder.put(option: address.count == 4 ? PcapngBlock.Name.ipv4 : PcapngBlock.Name.ipv6, value)
            }
            encoder.put((PcapngBlock.Name.end, UInt16(0)))
        }
    }

    /// Adds lines of a TLS key log, with which a reader decrypts the packets after this block.
    package mutating func add(tlsKeys: [UInt8]) {
        block(PcapngBlock.decryptionSecrets) { encoder in
            encoder.put((PcapngBlock.tlsKeyLog, UInt32(tlsKeys.count)))
            encoder.put(padded: tlsKeys)
        }
    }

    /// Adds the statistics of an interface.
    package mutating func add(_ statistics: CaptureStatistics, of interface: Int) {
        block(PcapngBlock.interfaceStatistics) { encoder in
            encoder.put(UInt32(interface))
            encoder.put(Self.stamp(statistics.end))
            for comment in statistics.comments { encoder.put(option: PcapngBlock.Option.comment, comment) }
            encoder.put(option: PcapngBlock.Option.startTime, Self.bytes(of: Self.stamp(statistics.begin)))
            encoder.put(option: PcapngBlock.Option.endTime, Self.bytes(of: Self.stamp(statistics.end)))
            encoder.put(option: PcapngBlock.Option.received, statistics.received)
            encoder.put(option: PcapngBlock.Option.accepted, statistics.accepted)
            encoder.put(option: PcapngBlock.Option.systemDropped, statistics.dropped)
            encoder.put(option: PcapngBlock.Option.delivered, statistics.written)
            encoder.endOptions()
        }
    }

    /// A name for a name resolution record: at most 255 bytes, and a zero byte at the end.
    private static func name(_ name: String) -> [UInt8] { name.utf8.prefix(255).filter { $0 != 0 } + [0] }

    private mutating func block(_ type: UInt32, _ body: (inout PcapngEncoder) -> Void) {
        let start = bytes.count
        put((type, UInt32(0)))
        body(&self)
        let length = UInt32(bytes.count - start + 4)
        bytes.replaceSubrange(start + 4..<start + 8, with: Self.bytes(of: length))
        put(length)
    }

    /// Appends a number, or a tuple of numbers without gaps, as the bytes are in memory.
    private mutating func put(_ numbers: some BitwiseCopyable) {
        withUnsafeBytes(of: numbers) { bytes.append(contentsOf: $0) }
    }

    private static func bytes(of numbers: some BitwiseCopyable) -> [UInt8] {
        withUnsafeBytes(of: numbers) { Array($0) }
    }

    /// The 32-bit halves of a timestamp; the upper half comes first in either byte order.
    private static func stamp(_ time: Int64) -> (UInt32, UInt32) {
        let stamp = UInt64(bitPattern: time)
        return (UInt32(truncatingIfNeeded: stamp >> 32), UInt32(truncatingIfNeeded: stamp))
    }

    private mutating func put(padded data: [UInt8]) {
        bytes += data
        for _ in 0..<(4 - data.count % 4) % 4 { bytes.append(0) }
    }

    private mutating func put(option code: UInt16, _ value: [UInt8]) {
        put((code, UInt16(value.count)))
        put(padded: value)
    }

    private mutating func put(option code: UInt16, _ number: UInt64?) {
        if let number { put(option: code, Self.bytes(of: number)) }
    }

    private mutating func put(option code: UInt16, _ text: String?) {
        guard var text else { return }
        // Shortens the text by whole characters.
        while text.utf8.count > Self.longestText { text = String(text.prefix(text.count / 2)) }
        put(option: code, Array(text.utf8))
    }

    private mutating func endOptions() { put((PcapngBlock.Option.end, UInt16(0))) }
}
