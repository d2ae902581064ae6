// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@testable import PacketPump

@Suite struct ChecksumTests {
    @Test func agreesWithWordByWord() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...200, using: &random)
            // All ones in every fourth, where carries are.
            let ones = UInt8.random(in: 0..<4, using: &random) == 0
            let bytes = (0..<count).map { _ in ones ? 0xFF : UInt8.random(in: 0...255, using: &random) }
            var checksum = Checksum()
            bytes.withUnsafeBytes { if let start = $0.baseAddress { checksum.add(start, count) } }
            let naive = naiveChecksum(bytes)
            // 0 and 0xFFFF are the same number in one's complement.
            #expect(checksum.complement == naive || (checksum.complement % 0xFFFF == 0 && naive % 0xFFFF == 0))
        }
    }

    @Test func sumsAsTheRFCDoes() {
        // RFC 1071 section 3: the sum is ddf2.
        let words: [UInt8] = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7]
        var checksum = Checksum()
        words.withUnsafeBytes { if let start = $0.baseAddress { checksum.add(start, words.count) } }
        #expect(checksum.folded == 0xDDF2)
    }

    @Test func addsPartsLikeTheWhole() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<1_000 {
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            let cut = 2 * Int.random(in: 0...32, using: &random)
            var parts = Checksum()
            bytes.withUnsafeBytes { all in
                guard let start = all.baseAddress else { return }
                parts.add(start, cut)
                parts.add(start + cut, 64 - cut)
            }
            #expect(parts.complement == naiveChecksum(bytes))
        }
    }

    @Test func countsTheLengthOfLargePacketsInThePseudoHeader() {
        var frame = TestFrame()
        for isIPv6 in [false, true] {
            frame.isIPv6 = isIPv6
            for length in [0, 20, 1_480, 65_535, 70_000] {
                let addresses = frame.addresses
                let sum = addresses.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { Checksum.pseudoHeader($0, bytes.count, transport: 6, length: length) }
                }
                #expect(sum == UInt16(frame.pseudoSum(length)))
            }
        }
    }
}
