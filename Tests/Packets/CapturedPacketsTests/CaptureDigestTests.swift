// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@Suite struct CaptureDigestTests {
    private static func value(_ bytes: [UInt8], key: UInt64 = 0x1234_5678_9ABC, pieces: [Int] = [])
        -> CaptureDigest.Value
    {
        var digest = CaptureDigest(key: key)
        var rest = bytes[...]
        for length in pieces {
            digest.add(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        digest.add(rest)
        return digest.value
    }

    private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    @Test func isThatOfTheBytesWhateverPiecesTheyComeIn() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let bytes = Self.bytes(Int.random(in: 0...200, using: &random), &random)
            let pieces = (0..<5).map { _ in Int.random(in: 0...40, using: &random) }
            #expect(Self.value(bytes, pieces: pieces) == Self.value(bytes))
        }
    }

    @Test func isAnotherForEveryOtherBit() {
        var random = SeededGenerator(seed: 2)
        for count in 1...64 {
            let bytes = Self.bytes(count, &random)
            for bit in 0..<count * 8 {
                var other = bytes
                other[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(Self.value(other) != Self.value(bytes))
            }
        }
    }

    /// Zeros at the end count, too.
    @Test func isAnotherForEveryLength() {
        let values = (0..<100).map { Self.value([UInt8](repeating: 0, count: $0)) }
        #expect(Set(values).count == values.count)
    }

    @Test func isAnotherForEveryKey() {
        let values = (0..<100).map { _ in Self.value([1, 2, 3], key: CaptureDigest.makeKey()) }
        #expect(Set(values).count == values.count)
    }
}
