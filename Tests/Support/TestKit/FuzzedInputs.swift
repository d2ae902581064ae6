// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Inputs for a parser: sound ones with some bytes changed, cut, repeated or inserted, and noise. The same sequence from
/// the same seed.
package struct FuzzedInputs {
    /// How many a test tries.
    package static let count = Extent.current == .soak ? 1_000_000 : 10_000

    private let sound: [[UInt8]]
    private var generator: SeededGenerator

    package init(_ sound: [[UInt8]], seed: UInt64) {
        self.sound = sound
        generator = SeededGenerator(seed: seed)
    }

    /// The next input.
    package mutating func next() -> [UInt8] {
        if generator.isOne(in: 16) { return noise(longest: 300) }
        var bytes = generator.pick(sound)
        for _ in 0..<generator.pick([1, 1, 1, 2, 3, 8]) {
            guard !bytes.isEmpty else { return noise(longest: 40) }
            let place = Int.random(in: bytes.indices, using: &generator)
            let end = Int.random(in: place...min(place + 40, bytes.count), using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<3: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            // The numbers at which lengths and counts go wrong.
            case 3: bytes[place] = generator.pick([0, 1, 0x3F, 0x40, 0x7F, 0x80, 0xC0, 0xFE, 0xFF])
            case 4: bytes.removeSubrange(place...)
            case 5: bytes.removeSubrange(place..<end)
            case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.insert(contentsOf: noise(longest: 8), at: place)
            }
        }
        return bytes
    }

    /// A part of `bytes` from the front, of random length: as a stream delivers it.
    package mutating func piece(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.prefix(generator.isOne(in: 3) ? 1 : Int.random(in: 1...max(bytes.count, 1), using: &generator))
    }

    private mutating func noise(longest: Int) -> [UInt8] {
        (0..<Int.random(in: 0...longest, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
