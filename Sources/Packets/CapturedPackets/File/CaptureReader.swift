// SPDX-License-Identifier: Apache-2.0

/// Reads a capture file in pieces: pcapng, or the older pcap.
///
/// ```swift
/// var reader = CaptureReader()
/// reader.append(bytes)
/// while let record = try reader.next() { ... }
/// ```
package struct CaptureReader {
    private enum Format {
        case unknown
        case pcapng(PcapngReader)
        case pcap(PcapReader)
    }

    /// A block of a pcapng file, or a packet of a pcap file.
    struct Block {
        var length: Int
        /// The block's packet; nil for any other block, whose contents are in `records`.
        var packet: CapturedPacket?
        var records: [CaptureRecord] = []
    }

    private var format = Format.unknown
    private var bytes: ArraySlice<UInt8> = []
    private var records: ArraySlice<CaptureRecord> = []
    /// The position of `bytes` in the file.
    private var offset = 0

    package init() {}

    /// Whether the file ends with part of a record, as when its writer was killed.
    package var isCut: Bool { !bytes.isEmpty }

    /// Whether enough has been read to recognize the format.
    package var isRecognized: Bool {
        if case .unknown = format { false } else { true }
    }

    /// The number of bytes that ``isCapture(_:)`` needs.
    package static let magicLength = 4

    /// Whether a file that starts with the bytes `start` is a capture.
    package static func isCapture(_ start: [UInt8]) -> Bool {
        var cursor = ByteCursor(start[...], isBigEndian: false)
        return cursor.long().map { $0 == PcapngBlock.sectionHeader || PcapReader.isMagic($0) } ?? false
    }

    /// Adds the file's next bytes.
    package mutating func append(_ piece: some Sequence<UInt8>) {
        bytes = ArraySlice(Array(bytes) + piece)
    }

    /// The next record; nil if more bytes are needed.
    ///
    /// - Throws: the file's defect. No record can be read after it.
    package mutating func next() throws(MalformedCapture) -> CaptureRecord? {
        while records.isEmpty {
            let found: Block?
            switch format {
            case .unknown:
                guard try recognize() else { return nil }
                continue
            case .pcapng(var reader):
                // Releases the enum's reference, so that the reader changes its list of interfaces without a copy.
                format = .unknown
                defer { format = .pcapng(reader) }
                found = try reader.next(bytes, offset: offset)
            case .pcap(let reader): found = try reader.next(bytes, offset: offset)
            }
            guard let found else { return nil }
            advance(found.length)
            if let packet = found.packet { return .packet(packet) }
            records = found.records[...]
        }
        return records.popFirst()
    }

    /// Recognizes the format; false if more bytes are needed.
    private mutating func recognize() throws(MalformedCapture) -> Bool {
        var cursor = ByteCursor(bytes, isBigEndian: false)
        guard let magic = cursor.long() else { return false }
        if magic == PcapngBlock.sectionHeader {
            format = .pcapng(PcapngReader())
        } else if PcapReader.isMagic(magic) {
            guard let reader = PcapReader(bytes) else { return false }
            format = .pcap(reader)
            records = [.section(application: nil), .interface(reader.interface)]
            advance(PcapReader.headerLength)
        } else {
            throw MalformedCapture(offset: 0, problem: "neither a pcapng nor a pcap file")
        }
        return true
    }

    private mutating func advance(_ count: Int) {
        bytes = bytes.dropFirst(count)
        offset += count
    }
}

/// One entry of a capture file.
package enum CaptureRecord: Hashable, Sendable {
    /// The start of a section: interface indices start at 0 again. `application` is the program that wrote the section,
    /// if the section names it.
    case section(application: String?)
    /// An interface; packets refer to it by its index in the section.
    case interface(CapturedInterface)
    /// A packet.
    case packet(CapturedPacket)
    /// Names of an address of four or sixteen bytes.
    case names(address: [UInt8], [String])
    /// Lines of a TLS key log.
    case tlsKeys([UInt8])
    /// The counts of an interface's packets.
    case statistics(CaptureStatistics, interface: Int)
}

/// The defect at which reading a capture file ended; the records before it are valid.
package struct MalformedCapture: Error, Hashable, CustomStringConvertible, Sendable {
    /// The offset in bytes from the start of the file.
    package let offset: Int
    package let problem: String

    /// "at byte 24: ..."
    package var description: String { "at byte \(offset): \(problem)" }
}
