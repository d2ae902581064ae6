// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CapturedPackets

/// Capture files, as they are written and as they are read.
@Suite struct PcapngTests {
    /// A capture that has every kind of record.
    static let sample: (bytes: [UInt8], records: [CaptureRecord]) = {
        var encoder = PcapngEncoder(application: "linkcond", system: "Linux", comments: ["Slow Net"])
        var uplink = CapturedInterface("eth0", description: "uplink", snapLength: 128)
        uplink.filter = "tcp port 80"
        uplink.speed = 1_000_000
        uplink.comment = LaneNote(["shared with a long TCP flow"], seed: 7, start: 9).comment
        let raw = CapturedInterface("tun0", .raw)
        var packet = CapturedPacket(interface: 0, time: 1_700_000_000_123_456_789, bytes: Array(0..<61))
        packet.length = 1514
        packet.direction = .outbound
        packet.lostBefore = 3
        packet.comments = ["lane uplink, dropped (loss)", "ünicode"]
        let arriving = CapturedPacket(interface: 1, time: 1_700_000_000_123_456_790, bytes: [])
        var statistics = CaptureStatistics(begin: packet.time, end: arriving.time)
        statistics.received = 5
        statistics.accepted = 4
        statistics.dropped = 3
        statistics.written = 1
        statistics.shortfall = "No space left on device"
        statistics.completeUntil = -5
        _ = (encoder.add(uplink), encoder.add(raw))
        encoder.add(packet)
        encoder.add(names: [
            ([192, 0, 2, 1], ["one.test", "two.test"]), (Array(repeating: 1, count: 16), ["six.test"]),
        ])
        encoder.add(tlsKeys: Array("CLIENT_RANDOM 00 11\n".utf8))
        encoder.add(arriving)
        encoder.add(statistics, of: 0)
        return (
            encoder.bytes,
            [
                .section(application: "linkcond"), .interface(uplink), .interface(raw), .packet(packet),
                .names(address: [192, 0, 2, 1], ["one.test", "two.test"]),
                .names(address: Array(repeating: 1, count: 16), ["six.test"]),
                .tlsKeys(Array("CLIENT_RANDOM 00 11\n".utf8)), .packet(arriving),
                .statistics(statistics, interface: 0),
            ]
        )
    }()

    private func read(_ bytes: [UInt8], pieces: Int = .max) throws -> [CaptureRecord] {
        var reader = CaptureReader()
        var records: [CaptureRecord] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(piece.count)
            reader.append(piece)
            while let record = try reader.next() { records.append(record) }
        }
        return records
    }

    @Test(arguments: [1, 3, 64, Int.max])
    func readsWhatItWrites(pieces: Int) throws {
        #expect(try read(Self.sample.bytes, pieces: pieces) == Self.sample.records)
    }

    /// A process that writes may be killed at any moment.
    @Test func readsAllThatIsWholeOfACutFile() throws {
        for length in 0..<Self.sample.bytes.count {
            let records = try read(Array(Self.sample.bytes[..<length]))
            #expect(records == Array(Self.sample.records[..<records.count]), "\(length)")
        }
        #expect(try read(Array(Self.sample.bytes.dropLast())).count == Self.sample.records.count - 1)
    }

    /// Other blocks may precede the packet, and others follow it.
    @Test(arguments: ["", "a", "ab", "abc", "abcd", "Schwarzes Löchle"])
    func addsACommentToTheFirstPacket(text: String) throws {
        var (bytes, records) = Self.sample
        PcapngComment.add(text, to: &bytes)
        for index in records.indices {
            guard case .packet(var packet) = records[index] else { continue }
            packet.comments.append(text)
            records[index] = .packet(packet)
            break
        }
        #expect(try read(bytes) == records)
    }

    @Test func readsTheOtherByteOrder() throws {
        // A section, an interface of raw packets with stamps in milliseconds, an empty packet at 2 s.
        let words: [UInt32] = [
            0x0A0D_0D0A, 28, 0x1A2B_3C4D, 0x0001_0000, .max, .max, 28, 1, 32, 101 << 16, 0, 9 << 16 | 1, 3 << 24, 0, 32,
            6,
            32, 0, 0, 2000, 0, 40, 32,
        ]
        let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
        var packet = CapturedPacket(interface: 0, time: 2_000_000_000, bytes: [])
        packet.length = 40
        #expect(
            try read(bytes) == [.section(application: nil), .interface(CapturedInterface("", .raw)), .packet(packet)]
        )
    }

    @Test(arguments: [(UInt32(0xA1B2_C3D4), Int64(1000)), (0xA1B2_3C4D, 1)])
    func readsTheOlderFormat(magic: UInt32, nanoseconds: Int64) throws {
        for isBigEndian in [false, true] {
            let words: [UInt32] = [magic, isBigEndian ? 0x0002_0004 : 0x0004_0002, 0, 0, 96, 1, 7, 5, 4, 60, 0]
            let bytes = words.flatMap { word in
                (0..<4).map { UInt8(truncatingIfNeeded: word >> (isBigEndian ? 24 - 8 * $0 : 8 * $0)) }
            }
            var packet = CapturedPacket(interface: 0, time: 7_000_000_000 + 5 * nanoseconds, bytes: [0, 0, 0, 0])
            packet.length = 60
            let interface = CapturedInterface("", .ethernet, snapLength: 96)
            #expect(try read(bytes) == [.section(application: nil), .interface(interface), .packet(packet)])
        }
    }

    @Test(arguments: [
        ([UInt8](repeating: 0x58, count: 30), "neither a pcapng nor a pcap file"),
        (Array(sample.bytes.prefix(8)) + [0, 0, 0, 0] + Array(sample.bytes[12..<28]), "without its magic number"),
        (Array(sample.bytes.prefix(4)) + [13] + Array(sample.bytes[5..<60]), "a block of"),
    ])
    func saysWhatIsWrong(bytes: [UInt8], words: String) {
        let error = #expect(throws: MalformedCapture.self) { try read(bytes) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func refusesPacketsOfAnInterfaceThatIsNotThere() {
        var encoder = PcapngEncoder(application: "")
        encoder.add(CapturedPacket(interface: 4, time: 0, bytes: []))
        let error = #expect(throws: MalformedCapture.self) { try read(encoder.bytes) }
        #expect(error?.problem.contains("interface 4") == true)
    }
}
