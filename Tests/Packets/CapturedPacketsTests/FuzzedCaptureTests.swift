// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import CapturedPackets

/// Capture files whose bytes are damaged, and packets of any bytes.
@Suite struct FuzzedCaptureTests {
    @Test(arguments: [1, 2] as [UInt64])
    func readsNoMoreThanAFileHolds(seed: UInt64) {
        var inputs = FuzzedInputs([PcapngTests.sample.bytes, Self.pcap], seed: seed)
        var read = 0
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            var reader = CaptureReader()
            reader.append(bytes)
            var size = 0
            do {
                while let record = try reader.next() {
                    read += 1
                    if case .packet(let packet) = record { size += packet.bytes.count }
                }
            } catch {
                if error.offset > bytes.count { Issue.record("\(bytes): \(error)") }
            }
            if size > bytes.count { Issue.record("\(bytes) gives packets of \(size) bytes") }
        }
        #expect(read > FuzzedInputs.count)
    }

    /// A file of the older format with three packets.
    private static var pcap: [UInt8] {
        let header: [UInt32] = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65535, 1]
        let packets = PacketHeadersTests.frames.prefix(3).flatMap { frame in
            let numbers = [1, 2, UInt32(frame.count), UInt32(frame.count)]
            return numbers.withUnsafeBytes { Array($0) } + frame
        }
        return header.withUnsafeBytes { Array($0) } + packets
    }

    @Test(arguments: [5, 6] as [UInt64])
    func splitsNoMoreThanASuperPacketHolds(seed: UInt64) {
        var inputs = FuzzedInputs(PacketHeadersTests.frames, seed: seed)
        var parts = 0
        for number in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            let length = bytes.count + number % 3000
            var payload = 0
            let segmentSize = 1 + number % 100
            SuperPacket.forEachWirePacket(of: bytes, length: length, segmentSize: segmentSize, .ethernet) {
                part,
                size in
                parts += 1
                payload += size
                if part.count > size || size > length { Issue.record("\(bytes): a part of \(size) bytes") }
            }
            if payload < length / 100 { Issue.record("\(bytes): parts of \(payload) bytes") }
        }
        #expect(parts > FuzzedInputs.count)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func readsHeadersWithinTheirPacket(seed: UInt64) {
        var inputs = FuzzedInputs(PacketHeadersTests.frames, seed: seed)
        var understood = 0
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            for type in [CapturedInterface.LinkType.ethernet, .raw, .init(rawValue: 105)] {
                let headers = PacketHeaders(bytes, type, length: bytes.count + 100)
                if headers.transport != nil { understood += 1 }
                let isWithin = headers.payload.lowerBound >= 0 && headers.payload.upperBound <= bytes.count
                if !isWithin || headers.payloadLength < 0 || headers.payloadLength > bytes.count + 100 {
                    Issue.record("\(bytes): payload \(headers.payload), \(headers.payloadLength)")
                }
            }
        }
        #expect(understood > FuzzedInputs.count / 10)
    }
}
