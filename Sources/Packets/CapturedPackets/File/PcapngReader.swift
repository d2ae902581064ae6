// SPDX-License-Identifier: Apache-2.0

/// Reads pcapng (draft-ietf-opsawg-pcapng) of either byte order, block by block. Skips unknown blocks and options.
struct PcapngReader {
    private var isBigEndian = false
    private var interfaces: [Interface] = []

    /// The facts about an interface that its packets are read with.
    private struct Interface {
        var snapLength: UInt32
        var linkType: CapturedInterface.LinkType
        /// The units of its timestamps, per second.
        var resolution: UInt64 = 1_000_000
        /// Seconds to add to its timestamps.
        var offset: Int64 = 0
    }

    /// The longest block that is accepted: a packet of the largest snap length in use, with room for comments.
    static let longestBlock = 4 << 20
    /// The largest time before or after 1970, reached in 2116: the difference of any two times still fits 64 bits.
    private static let farthest: Int64 = (1 << 62) - 1
    /// More interfaces than a machine has. Limited because an interface takes more memory here than bytes in the file.
    private static let maximumInterfaces = 1 << 16

    /// Reads the next block of `bytes`.
    ///
    /// - Parameter offset: the position of `bytes` in the file.
    /// - Returns: the records of the block and its length; nil if the block is not complete.
    mutating func next(
        _ bytes: ArraySlice<UInt8>,
        offset: Int
    ) throws(MalformedCapture) -> CaptureReader.Block? {
        guard bytes.count >= PcapngBlock.overhead else { return nil }
        var head = ByteCursor(bytes, isBigEndian: isBigEndian)
        guard let type = head.long() else { return nil }
        if type == PcapngBlock.sectionHeader { try readByteOrder(bytes, offset) }
        head = ByteCursor(bytes.dropFirst(4), isBigEndian: isBigEndian)
        guard let size = head.long().map({ Int($0) }) else { return nil }
        guard size >= PcapngBlock.overhead, size % 4 == 0, size <= Self.longestBlock else {
            throw MalformedCapture(offset: offset + 4, problem: "a block of \(size) bytes")
        }
        guard bytes.count >= size else { return nil }
        var tail = ByteCursor(bytes.prefix(size).suffix(4), isBigEndian: isBigEndian)
        guard tail.long() == UInt32(size) else {
            throw MalformedCapture(offset: offset + size - 4, problem: "a block's two lengths differ")
        }
        var body = ByteCursor(bytes.prefix(size - 4).dropFirst(8), isBigEndian: isBigEndian)
        var block = CaptureReader.Block(length: size)
        if type == PcapngBlock.enhancedPacket, let packet = try packet(&body, offset) {
            block.packet = packet
        } else if let records = try records(type, &body, offset) {
            block.records = records
        } else {
            throw MalformedCapture(offset: offset, problem: "a block of kind \(type) is too short")
        }
        return block
    }

    private mutating func readByteOrder(_ bytes: ArraySlice<UInt8>, _ offset: Int) throws(MalformedCapture) {
        let order = [false, true].first { order in
            var cursor = ByteCursor(bytes.dropFirst(8), isBigEndian: order)
            return cursor.long() == PcapngBlock.byteOrderMagic
        }
        guard let order else {
            throw MalformedCapture(offset: offset + 8, problem: "a section header without its magic number")
        }
        isBigEndian = order
    }

    private mutating func records(
        _ type: UInt32,
        _ cursor: inout ByteCursor,
        _ offset: Int
    ) throws(MalformedCapture) -> [CaptureRecord]? {
        switch type {
        case PcapngBlock.sectionHeader: try section(&cursor, offset)
        case PcapngBlock.interfaceDescription: try interface(&cursor, offset)
        // `packet` has returned nil: the block is too short for a packet.
        case PcapngBlock.enhancedPacket: nil
        case PcapngBlock.simplePacket: try simplePacket(&cursor, offset)
        case PcapngBlock.nameResolution: names(&cursor)
        case PcapngBlock.decryptionSecrets: secrets(&cursor)
        case PcapngBlock.interfaceStatistics: try statistics(&cursor, offset)
        default: []
        }
    }

    private mutating func section(
        _ cursor: inout ByteCursor,
        _ offset: Int
    ) throws(MalformedCapture) -> [CaptureRecord]? {
        guard cursor.skip(4), let major = cursor.word(), cursor.skip(10) else { return nil }
        guard major == 1 else { throw MalformedCapture(offset: offset, problem: "version \(major) of the format") }
        interfaces = []
        var application: String?
        while let (code, value) = cursor.option() {
            if code == PcapngBlock.Option.application { application = application ?? value.text }
        }
        return [.section(application: application)]
    }

    private mutating func interface(
        _ cursor: inout ByteCursor,
        _ offset: Int
    ) throws(MalformedCapture) -> [CaptureRecord]? {
        guard let type = cursor.word(), cursor.skip(2), let snapLength = cursor.long() else { return nil }
        var interface = CapturedInterface("", .init(rawValue: type), snapLength: snapLength)
        var stamps = Interface(snapLength: snapLength, linkType: interface.linkType)
        while case (let code, var value)? = cursor.option() {
            switch code {
            case PcapngBlock.Option.comment: interface.comment = interface.comment ?? value.text
            case PcapngBlock.Option.interfaceName: interface.name = value.text
            case PcapngBlock.Option.interfaceDescription: interface.description = value.text
            case PcapngBlock.Option.interfaceSpeed: interface.speed = value.number()
            case PcapngBlock.Option.interfaceFilter: interface.filter = value.byte() == 0 ? value.text : nil
            case PcapngBlock.Option.timeResolution: stamps.resolution = Self.resolution(value.byte() ?? 6)
            case PcapngBlock.Option.timeOffset: stamps.offset = value.number() ?? 0
            default: break
            }
        }
        guard interfaces.count < Self.maximumInterfaces else {
            throw MalformedCapture(offset: offset, problem: "more than \(Self.maximumInterfaces) interfaces")
        }
        interfaces.append(stamps)
        return [.interface(interface)]
    }

    /// The units of a timestamp, per second: a power of 10, or of 2 if the top bit is set; at most 10^19 or 2^63.
    private static func resolution(_ code: UInt8) -> UInt64 {
        let exponent = Int(code & 0x7F)
        if code & 0x80 != 0 { return 1 << UInt64(min(exponent, 63)) }
        return (0..<min(exponent, 19)).reduce(1) { result, _ in result * 10 }
    }

    private func packet(_ cursor: inout ByteCursor, _ offset: Int) throws(MalformedCapture) -> CapturedPacket? {
        guard let index = cursor.long().map({ Int($0) }), let stamp = cursor.stamp(),
            let kept = cursor.long(), let length = cursor.long(), let data = cursor.padded(Int(kept))
        else { return nil }
        let time = try time(stamp, index, offset)
        var packet = CapturedPacket(interface: index, time: time, bytes: Array(data))
        packet.length = try checked(length, kept: data, interfaces[index], offset)
        packet.direction = LinkHeader.direction(of: data, interfaces[index].linkType)
        while case (let code, var value)? = cursor.option() {
            switch code {
            case PcapngBlock.Option.comment: packet.comments.append(value.text)
            case PcapngBlock.Option.packetFlags:
                let flags = value.long() ?? 0
                if let direction = CapturedPacket.Direction(rawValue: UInt8(flags & 3)), direction != .unknown {
                    packet.direction = direction
                }
            case PcapngBlock.Option.packetDrops: packet.lostBefore = value.number()
            default: break
            }
        }
        return packet
    }

    /// Reads a packet without a timestamp, which belongs to the first interface.
    private func simplePacket(_ cursor: inout ByteCursor, _ offset: Int) throws(MalformedCapture) -> [CaptureRecord]? {
        guard let length = cursor.long() else { return nil }
        guard let first = interfaces.first else { throw Self.unknownInterface(0, offset) }
        let limit = first.snapLength == 0 ? UInt32.max : first.snapLength
        guard let data = cursor.padded(Int(min(length, limit))) else { return nil }
        var packet = CapturedPacket(time: 0, bytes: Array(data))
        packet.length = try checked(length, kept: data, first, offset)
        packet.direction = LinkHeader.direction(of: data, first.linkType)
        return [.packet(packet)]
    }

    /// The length of a packet on the interface. Throws if it exceeds `longestBlock`, or if the link type is not
    /// supported.
    private func checked(
        _ length: UInt32,
        kept: ArraySlice<UInt8>,
        _ interface: Interface,
        _ offset: Int
    ) throws(MalformedCapture) -> Int {
        if let refusal = interface.linkType.refusal { throw MalformedCapture(offset: offset, problem: refusal) }
        guard length <= Self.longestBlock else {
            throw MalformedCapture(offset: offset, problem: "a packet of \(length) bytes")
        }
        return max(Int(length), kept.count)
    }

    private func names(_ cursor: inout ByteCursor) -> [CaptureRecord]? {
        var records: [CaptureRecord] = []
        while let type = cursor.word(), type != PcapngBlock.Name.end {
            guard let length = cursor.word(), let value = cursor.padded(Int(length)) else { return nil }
            let size = type == PcapngBlock.Name.ipv4 ? 4 : type == PcapngBlock.Name.ipv6 ? 16 : Int.max
            guard value.count > size else { continue }
            let names = value.dropFirst(size).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            records.append(.names(address: Array(value.prefix(size)), names))
        }
        return records
    }

    private func secrets(_ cursor: inout ByteCursor) -> [CaptureRecord]? {
        guard let type = cursor.long(), let length = cursor.long(), let data = cursor.padded(Int(length))
        else { return nil }
        return type == PcapngBlock.tlsKeyLog ? [.tlsKeys(Array(data))] : []
    }

    private func statistics(_ cursor: inout ByteCursor, _ offset: Int) throws(MalformedCapture) -> [CaptureRecord]? {
        guard let index = cursor.long().map({ Int($0) }), let stamp = cursor.stamp() else { return nil }
        let time = try time(stamp, index, offset)
        var statistics = CaptureStatistics(begin: time, end: time)
        while case (let code, var value)? = cursor.option() {
            switch code {
            case PcapngBlock.Option.comment: statistics.add(comment: value.text)
            case PcapngBlock.Option.startTime:
                if let stamp = value.stamp() { statistics.begin = try self.time(stamp, index, offset) }
            case PcapngBlock.Option.endTime:
                if let stamp = value.stamp() { statistics.end = try self.time(stamp, index, offset) }
            case PcapngBlock.Option.received: statistics.received = value.number()
            case PcapngBlock.Option.accepted: statistics.accepted = value.number()
            case PcapngBlock.Option.dropped, PcapngBlock.Option.systemDropped: statistics.dropped = value.number()
            case PcapngBlock.Option.delivered: statistics.written = value.number()
            default: break
            }
        }
        return [.statistics(statistics, interface: index)]
    }

    /// Converts a timestamp to nanoseconds since 1970, clamped to `farthest` in either direction.
    private func time(_ stamp: UInt64, _ index: Int, _ offset: Int) throws(MalformedCapture) -> Int64 {
        guard interfaces.indices.contains(index) else { throw Self.unknownInterface(index, offset) }
        let interface = interfaces[index]
        let (seconds, rest) = stamp.quotientAndRemainder(dividingBy: interface.resolution)
        // The product may need 94 bits.
        let (high, low) = rest.multipliedFullWidth(by: 1_000_000_000)
        let fraction = Int64(interface.resolution.dividingFullWidth((high, low)).quotient)
        let (whole, isTooLarge) = Int64(clamping: seconds).addingReportingOverflow(interface.offset)
        let (product, isBeyond) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = product.addingReportingOverflow(fraction)
        // Only the offset can be negative.
        let time = isTooLarge || isBeyond || isOver ? (isTooLarge || whole >= 0 ? .max : .min) : sum
        return min(max(time, -Self.farthest), Self.farthest)
    }

    private static func unknownInterface(_ index: Int, _ offset: Int) -> MalformedCapture {
        MalformedCapture(offset: offset, problem: "a packet of interface \(index), which is not described")
    }
}
