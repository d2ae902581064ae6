// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import PacketPump

extension TestFrame {
    /// A frame of any kind, valid or nearly so.
    static func any(_ random: inout SeededGenerator) -> [UInt8] {
        if Int.random(in: 0..<10, using: &random) == 0 {
            return (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var frame = TestFrame()
        frame.isIPv6 = Bool.random(using: &random)
        frame.isTCP = Bool.random(using: &random)
        frame.tags = Int.random(in: 0...2, using: &random)
        frame.destinationPort = [80, 53, 67, 50_000].randomElement(using: &random) ?? 0
        frame.flags = UInt8.random(in: 0...255, using: &random)
        frame.payload = [UInt8](
            repeating: 5,
            count: [0, 1, 100, 2_000, 4_000, 4_000].randomElement(using: &random) ?? 0
        )
        var bytes = frame.bytes
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[frame.networkOffset + 6] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[frame.networkOffset + (frame.isIPv6 ? 6 : 9)] = frame.isIPv6 ? 58 : 1
        case 2: bytes[frame.networkOffset + 9] = [0, 43, 44, 51, 58, 60].randomElement(using: &random) ?? 0
        case 3:
            // An ICMP error that quotes a packet.
            bytes[frame.networkOffset + (frame.isIPv6 ? 6 : 9)] = frame.isIPv6 ? 58 : 1
            bytes[frame.transportOffset] = 3
            let quoted = TestFrame(isIPv6: frame.isIPv6, payload: [1]).bytes.dropFirst(14)
            bytes.replaceSubrange(min(frame.transportOffset + 8, bytes.count)..., with: quoted)
        default: break
        }
        return bytes
    }

    /// Replaces a few bytes, most of them in the headers, or truncates the frame.
    static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            let end = Int.random(in: 0..<4, using: &random) == 0 ? bytes.count : min(bytes.count, 80)
            bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        }
    }
}

extension VirtioHeader {
    /// A random header, often one that is valid for such a frame.
    static func any(of bytes: [UInt8], _ random: inout SeededGenerator) -> VirtioHeader {
        var header = VirtioHeader()
        header.flags = UInt8.random(in: 0...3, using: &random)
        let fitting: UInt8 = PacketPumpTests.layout(bytes).kind == .tcp ? 1 : 5
        header.type = [0, 1, 3, 4, 5, 0x81, 0xFF, fitting, fitting, fitting].randomElement(using: &random) ?? 0
        header.segmentSize = UInt16.random(in: 0...1_500, using: &random)
        header.headerLength = UInt16.random(in: 0...UInt16.max, using: &random)
        header.checksumStart = UInt16.random(in: 0...100, using: &random)
        header.checksumOffset = UInt16.random(in: 0...20, using: &random)
        return header
    }
}
