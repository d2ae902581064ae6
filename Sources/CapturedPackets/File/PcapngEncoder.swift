// SPDX-License-Identifier: Apache-2.0

/// Encodes a capture as pcapng (draft-ietf-opsawg-pcapng), in the byte order of the machine. Every block is whole, so that
/// a file that ends after any of them can be read.
///
/// ```swift
/// var encoder = PcapngEncoder(application: "linkcond 0.1.0")
/// let device = encoder.add(CapturedInterface("eth0"))
/// encoder.add(CapturedPacket(interface: device, time: now, bytes: frame))
/// write(encoder.takeBytes())
/// ```
public struct PcapngEncoder: Sendable {
    /// What has been encoded and not yet been taken.
    public private(set) var bytes: [UInt8] = []
    /// The number of interfaces so far.
    public private(set) var interfaceCount = 0

    /// Begins a section.
    ///
    /// - Parameters:
    ///   - application: the program that makes the file.
    ///   - system: the operating system.
    ///   - comments: remarks about the whole capture.
    public init(application: String, system: String? = nil, comments: [String] = []) {
        block(PcapngBlock.sectionHeader) { encoder in
            encoder.put(PcapngBlock.byteOrderMagic)
            encoder.put(UInt16(1))
            encoder.put(UInt16(0))
            // The length of the section is not known.
            encoder.put(UInt64.max)
            for comment in comments { encoder.put(option: PcapngBlock.Option.comment, comment) }
            if let system { encoder.put(option: PcapngBlock.Option.system, system) }
            encoder.put(option: PcapngBlock.Option.application, application)
            encoder.endOptions()
        }
    }

    /// An encoder of blocks for the section that another one has begun.
    package static func forBlocks() -> PcapngEncoder {
        var encoder = PcapngEncoder(application: "")
        encoder.bytes.removeAll(keepingCapacity: true)
        return encoder
    }

    /// Gives out what has been encoded since the last time.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Hands out what has been encoded since the last time, without a copy.
    public mutating func drain<Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        defer { bytes.removeAll(keepingCapacity: true) }
        try bytes.withUnsafeBufferPointer { (all) throws(Failure) in try body(UnsafeRawBufferPointer(all)) }
    }

    /// Describes an interface, before its first packet.
    ///
    /// - Returns: its number, for packets.
    public mutating func add(_ interface: CapturedInterface) -> Int {
        block(PcapngBlock.interfaceDescription) { encoder in
            encoder.put(interface.linkType.rawValue)
            encoder.put(UInt16(0))
            encoder.put(interface.snapLength)
            encoder.put(option: PcapngBlock.Option.interfaceName, interface.name)
            if let description = interface.description {
                encoder.put(option: PcapngBlock.Option.interfaceDescription, description)
            }
            if let speed = interface.speed { encoder.put(option: PcapngBlock.Option.interfaceSpeed, speed) }
            // Stamps count in 10^-9 s.
            encoder.put(option: PcapngBlock.Option.timeResolution, bytes: [9])
            if let filter = interface.filter {
                // The first byte says that it is libpcap's language.
                encoder.put(option: PcapngBlock.Option.interfaceFilter, bytes: [0] + filter.utf8)
            }
            encoder.endOptions()
        }
        interfaceCount += 1
        return interfaceCount - 1
    }

    /// Adds a packet of an interface that has been added.
    public mutating func add(_ packet: CapturedPacket) {
        packet.bytes.withUnsafeBytes { bytes in
            add(
                bytes,
                length: packet.length,
                interface: packet.interface,
                time: packet.time,
                direction: packet.direction,
                lostBefore: packet.lostBefore,
                comments: packet.comments
            )
        }
    }

    /// Adds a packet whose bytes are elsewhere.
    ///
    /// - Parameter length: its length on the interface, `data.count` or more.
    public mutating func add(
        _ data: UnsafeRawBufferPointer,
        length: Int,
        interface: Int,
        time: Int64,
        direction: CapturedPacket.Direction = .unknown,
        lostBefore: UInt64? = nil,
        comments: [String] = []
    ) {
        let comments = comments.map { Array($0.utf8.prefix(0xFFF0)) }
        let size = comments.reduce(0) { $0 + Self.size(ofOption: $1.count) }
        add(
            data,
            length: length,
            interface: interface,
            time: time,
            direction: direction,
            lostBefore: lostBefore,
            commentSize: size
        ) { encoder in
            for comment in comments { encoder.put(option: PcapngBlock.Option.comment, bytes: comment) }
        }
    }

    /// Adds a packet with a comment of less than 65,520 bytes.
    package mutating func add(
        _ data: UnsafeRawBufferPointer,
        length: Int,
        interface: Int,
        time: Int64,
        direction: CapturedPacket.Direction,
        lostBefore: UInt64?,
        comment: [UInt8]
    ) {
        add(
            data,
            length: length,
            interface: interface,
            time: time,
            direction: direction,
            lostBefore: lostBefore,
            commentSize: Self.size(ofOption: comment.count)
        ) { $0.put(option: PcapngBlock.Option.comment, bytes: comment) }
    }

    /// Adds a packet with comments that take `commentSize` bytes. The block's length is known ahead, and few pieces are
    /// copied: a capture may hold a million packets a second.
    @inline(__always)
    private mutating func add(
        _ data: UnsafeRawBufferPointer,
        length: Int,
        interface: Int,
        time: Int64,
        direction: CapturedPacket.Direction,
        lostBefore: UInt64?,
        commentSize: Int,
        _ putComments: (inout PcapngEncoder) -> Void
    ) {
        let isPlain = commentSize == 0 && lostBefore == nil && direction != .unknown
        let padding = (4 - data.count % 4) % 4
        var size = 32 + data.count + padding + commentSize
        if direction != .unknown { size += 8 }
        if lostBefore != nil { size += 12 }
        let hasOptions = size > 32 + data.count + padding
        if hasOptions { size += 4 }
        let stamp = UInt64(bitPattern: time)
        put(
            (
                PcapngBlock.enhancedPacket, UInt32(size), UInt32(truncatingIfNeeded: interface),
                UInt32(truncatingIfNeeded: stamp >> 32), UInt32(truncatingIfNeeded: stamp), UInt32(data.count),
                UInt32(clamping: max(length, data.count))
            )
        )
        bytes.append(contentsOf: data)
        if isPlain {
            // Padding of four bytes at most, the flags, the end of the options, and the length again.
            let flags = (PcapngBlock.Option.packetFlags, UInt16(4), UInt32(direction.rawValue))
            let tail = (UInt32(0), flags.0, flags.1, flags.2, PcapngBlock.Option.end, UInt16(0), UInt32(size))
            return withUnsafeBytes(of: tail) { tail in
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: tail[(4 - padding)...]))
            }
        }
        for _ in 0..<padding { bytes.append(0) }
        putComments(&self)
        if direction != .unknown { put((PcapngBlock.Option.packetFlags, UInt16(4), UInt32(direction.rawValue))) }
        if let lostBefore {
            put((PcapngBlock.Option.packetDrops, UInt16(8)))
            put(lostBefore)
        }
        if hasOptions { endOptions() }
        put(UInt32(size))
    }

    /// Adds the names of addresses, of four or sixteen bytes each.
    public mutating func add(names: [(address: [UInt8], names: [String])]) {
        block(PcapngBlock.nameResolution) { encoder in
            for (address, names) in names where address.count == 4 || address.count == 16 {
                // The length of all has 16 bits.
                let value = address + names.prefix(200).flatMap { Self.name($0) }
                encoder.put(address.count == 4 ? PcapngBlock.Name.ipv4 : PcapngBlock.Name.ipv6)
                encoder.put(UInt16(value.count))
                value.withUnsafeBytes { encoder.put(padded: $0) }
            }
            encoder.put(PcapngBlock.Name.end)
            encoder.put(UInt16(0))
        }
    }

    /// Adds lines of a TLS key log, with which a reader decrypts packets that come later.
    public mutating func add(tlsKeys: [UInt8]) {
        block(PcapngBlock.decryptionSecrets) { encoder in
            encoder.put(PcapngBlock.tlsKeyLog)
            encoder.put(UInt32(tlsKeys.count))
            tlsKeys.withUnsafeBytes { encoder.put(padded: $0) }
        }
    }

    /// Adds what became of an interface's packets.
    public mutating func add(_ statistics: CaptureStatistics, of interface: Int) {
        block(PcapngBlock.interfaceStatistics) { encoder in
            encoder.put(UInt32(interface))
            encoder.put(time: statistics.end)
            encoder.put(option: PcapngBlock.Option.startTime, time: statistics.begin)
            encoder.put(option: PcapngBlock.Option.endTime, time: statistics.end)
            for (option, count) in [
                (PcapngBlock.Option.received, statistics.received), (PcapngBlock.Option.accepted, statistics.accepted),
                (PcapngBlock.Option.systemDropped, statistics.dropped),
                (PcapngBlock.Option.delivered, statistics.written),
            ] {
                if let count { encoder.put(option: option, count) }
            }
            encoder.endOptions()
        }
    }

    /// A name within a name resolution block's bounds, with the zero byte at its end.
    private static func name(_ name: String) -> [UInt8] { name.utf8.prefix(255).filter { $0 != 0 } + [0] }

    private mutating func block(_ type: UInt32, _ body: (inout PcapngEncoder) -> Void) {
        let start = bytes.count
        put(type)
        put(UInt32(0))
        body(&self)
        let length = UInt32(bytes.count - start + 4)
        withUnsafeBytes(of: length) { length in
            for (offset, byte) in length.enumerated() { bytes[start + 4 + offset] = byte }
        }
        put(length)
    }

    /// Appends numbers as they are in memory: one, or a tuple of them without gaps.
    private mutating func put(_ numbers: some BitwiseCopyable) {
        withUnsafeBytes(of: numbers) { bytes.append(contentsOf: $0) }
    }

    /// The bytes that an option takes.
    private static func size(ofOption count: Int) -> Int { 4 + (count + 3) & ~3 }

    /// The halves of a stamp, the upper one first in either byte order.
    private mutating func put(time: Int64) {
        let time = UInt64(bitPattern: time)
        put(UInt32(truncatingIfNeeded: time >> 32))
        put(UInt32(truncatingIfNeeded: time))
    }

    private mutating func put(padded data: UnsafeRawBufferPointer) {
        bytes += data
        for _ in 0..<(4 - data.count % 4) % 4 { bytes.append(0) }
    }

    private mutating func put(option code: UInt16, bytes value: [UInt8]) {
        put((code, UInt16(value.count)))
        bytes += value
        for _ in 0..<(4 - value.count % 4) % 4 { bytes.append(0) }
    }

    private mutating func put(option: UInt16, _ text: String) {
        // An option holds 65,535 bytes at most; no character is cut.
        var text = text
        while text.utf8.count > 0xFFF0 { text = String(text.prefix(text.count / 2)) }
        put(option: option, bytes: Array(text.utf8))
    }

    private mutating func put(option: UInt16, _ number: some FixedWidthInteger & BitwiseCopyable) {
        put(option)
        put(UInt16(MemoryLayout.size(ofValue: number)))
        put(number)
    }

    private mutating func put(option: UInt16, time: Int64) {
        put(option)
        put(UInt16(8))
        put(time: time)
    }

    private mutating func endOptions() {
        put(PcapngBlock.Option.end)
        put(UInt16(0))
    }
}
