// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles

@testable import PacketPump

extension FuzzTarget {
    /// Frames through a translator of ports, one leaving and one arriving, each with its length in two bytes ahead of it. Each
    /// is in memory of just its size.
    static let nat = FuzzTarget("nat", seeds: [2, 1, 0].map { frame in frames[frame...].flatMap { $0 } }) { bytes in
        var rules = AddressTranslation()
        rules.idle = .seconds(1)
        (rules.mapping, rules.filtering) = (.addressAndPort, .addressAndPort)
        var translation = PortTranslation(PortMappings(rules, now: 0))
        var rest = bytes[...]
        var time: Int64 = 0
        while rest.count > 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let frame = Array(rest.dropFirst(2).prefix(length))
            rest = rest.dropFirst(2 + length)
            time += 200_000_000
            let block = UnsafeMutableRawPointer.allocate(byteCount: StoredFrame.bytesOffset + frame.count, alignment: 8)
            defer { block.deallocate() }
            memset(block, 0, StoredFrame.bytesOffset)
            let stored = StoredFrame(block)
            stored.bytes.copyMemory(from: frame, byteCount: frame.count)
            stored.describe(count: VirtioHeader.size + frame.count, input: 0)
            if time % 1_000_000_000 == 0 { translation.rebind() }
            if time % 400_000_000 == 0 {
                _ = translation.receive(stored, now: time)
            } else {
                translation.send(stored, now: time)?.undo()
                let after = UnsafeRawBufferPointer(start: stored.bytes, count: frame.count)
                require(after.elementsEqual(frame), "a frame of the host's is not what it was")
            }
        }
        require(translation.mappings.count <= PortMappings.limit, "\(translation.mappings.count) mappings")
    }

    /// A query, its answer from outside, and an error that quotes it.
    private static let frames: [[UInt8]] = {
        let (own, other): ([UInt8], [UInt8]) = ([10, 0, 2, 100], [192, 0, 2, 1])
        let query = packet(17, own, other, [0x9C, 0x40, 0, 99, 0, 9, 0, 0, 1])
        let answer = packet(17, other, own, [0, 99, 0x9C, 0x40, 0, 9, 0, 0, 2])
        let error = packet(1, other, own, [3, 3, 0, 0, 0, 0, 0, 0] + query)
        return [query, answer, error].map { packet in
            let frame = [UInt8](repeating: 2, count: 12) + [8, 0] + packet
            return [UInt8(frame.count >> 8), UInt8(truncatingIfNeeded: frame.count)] + frame
        }
    }()

    private static func packet(_ transport: UInt8, _ from: [UInt8], _ to: [UInt8], _ body: [UInt8]) -> [UInt8] {
        [0x45, 0, 0, UInt8(20 + body.count), 0, 1, 0x40, 0, 64, transport, 0, 0] + from + to + body
    }
}
