// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing

@Suite struct EchoPacketTests {
    private func written(_ packet: EchoPacket, _ isIPv4: Bool = true) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: EchoPacket.size)
        bytes.withUnsafeMutableBytes { packet.write(to: $0, isIPv4 ? .ipv4 : .ipv6) }
        return bytes
    }

    /// Word by word, as RFC 1071 describes it: zero if the bytes, an even number, hold a valid checksum.
    private func checksum(_ bytes: [UInt8]) -> Int {
        let sum = stride(from: 0, to: bytes.count, by: 2).reduce(0) { $0 + Int(bytes[$1]) << 8 + Int(bytes[$1 + 1]) }
        // In one's complement, 0xFFFF is zero.
        return (0xFFFF - sum % 0xFFFF) % 0xFFFF
    }

    @Test func writesAHeaderWithARightChecksum() {
        let bytes = written(EchoPacket(identifier: 0x1234, secret: 7, probe: 0x5_ABCD))
        #expect(bytes[0...1] == [8, 0])
        #expect(bytes[4...7] == [0x12, 0x34, 0xAB, 0xCD])
        #expect(checksum(bytes) == 0)
        #expect(written(EchoPacket(identifier: 1, secret: 7, probe: 1), false)[0...3] == [128, 0, 0, 0])
    }

    @Test func readsBackWhatItWroteAndNothingElse() {
        let packet = EchoPacket(identifier: 9, secret: .max - 3, probe: 77_777)
        var bytes = written(packet)
        bytes.withUnsafeBytes { #expect(EchoPacket(quotedRequest: $0, .ipv4) == packet) }
        bytes.withUnsafeBytes { #expect(EchoPacket(reply: $0, .ipv4) == nil) }
        bytes[0] = 0
        bytes.withUnsafeBytes { #expect(EchoPacket(reply: $0, .ipv4) == packet) }
        bytes.withUnsafeBytes { #expect(EchoPacket(reply: $0, .ipv6) == nil) }
        bytes[7] ^= 1
        bytes.withUnsafeBytes { #expect(EchoPacket(reply: $0, .ipv4) == nil) }
        for count in 0..<EchoPacket.size {
            bytes.prefix(count).withUnsafeBytes {
                #expect(EchoPacket(reply: $0, .ipv4) == nil)
                #expect(EchoPacket(quotedRequest: $0, .ipv4) == nil)
            }
        }
    }

    @Test func readsAHeaderThatIsQuotedAlone() {
        let bytes = written(EchoPacket(identifier: 0x1234, secret: 7, probe: 0x5_ABCD))
        bytes.prefix(8).withUnsafeBytes {
            let header = EchoPacket.quotedHeader($0, .ipv4)
            #expect(header?.identifier == 0x1234)
            #expect(header?.sequence == 0xABCD)
        }
        bytes.prefix(7).withUnsafeBytes { #expect(EchoPacket.quotedHeader($0, .ipv4) == nil) }
    }

    @Test func measuresTheHeaderOfIPv4() {
        func length(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { EchoPacket.headerLength($0) } }
        #expect(length([0x45] + [UInt8](repeating: 0, count: 30)) == 20)
        #expect(length([0x46] + [UInt8](repeating: 0, count: 30)) == 24)
        #expect(length([0x44] + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(length([0x65] + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(length([0x4F] + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(length([]) == nil)
    }

    @Test func believesTheKernelsStampUnlessTheClockWasSet() {
        let sent: Int64 = 1_800_000_000_000_000_000
        func elapsed(byStamps stamps: Int64?) -> Int64 {
            RoundTrip.of(monotonic: 5_000_000, stamp: stamps.map { sent + $0 } ?? 0, sentWallTime: sent)
        }
        #expect(elapsed(byStamps: 2_000_000) == 2_000_000)
        #expect(elapsed(byStamps: nil) == 5_000_000)
        #expect(elapsed(byStamps: 3_600_000_000_000) == 5_000_000)
        #expect(elapsed(byStamps: -3_600_000_000_000) == 5_000_000)
        #expect(elapsed(byStamps: -20_000) == 1000)
    }
}
