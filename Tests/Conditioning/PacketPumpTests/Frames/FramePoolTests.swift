// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import PacketPump

@Suite struct FramePoolTests {
    @Test func givesBlocksThatDoNotOverlapAndTakesThemBack() throws {
        guard var pool = FramePool(bytes: 8 << 20) else { throw PumpError.memory }
        var random = SeededGenerator(seed: 4)
        var blocks: [(UnsafeMutableRawPointer, Int, UInt8)] = []
        for round in 0..<20_000 {
            if Bool.random(using: &random) || blocks.isEmpty {
                let size =
                    [100, 256, 1_642, 1_664, 9_000, 40_000, FramePool.largestBlock].randomElement(using: &random) ?? 1
                if let block = pool.allocate(size) {
                    let mark = UInt8(truncatingIfNeeded: round)
                    block.initializeMemory(as: UInt8.self, repeating: mark, count: size)
                    blocks.append((block, size, mark))
                }
            } else {
                let (block, size, mark) = blocks.remove(at: Int.random(in: 0..<blocks.count, using: &random))
                let bytes = UnsafeRawBufferPointer(start: block, count: size)
                #expect(bytes.first == mark && bytes[size / 2] == mark && bytes.last == mark)
                pool.release(block)
            }
            #expect(pool.usedBytes <= 8 << 20)
        }
        for (block, _, _) in blocks { pool.release(block) }
        #expect(pool.usedBytes == 0)
    }

    @Test func refusesBeyondItsBoundAndServesEverySizeAgain() throws {
        guard var pool = FramePool(bytes: 4 << 20) else { throw PumpError.memory }
        for size in [256, 1_664, FramePool.largestBlock] {
            var blocks: [UnsafeMutableRawPointer] = []
            while let block = pool.allocate(size) { blocks.append(block) }
            #expect(blocks.count == 4 * ((1 << 20) / size))
            #expect(pool.usedBytes == 4 << 20)
            for block in blocks.reversed() { pool.release(block) }
            #expect(pool.usedBytes == 0)
        }
    }
}
