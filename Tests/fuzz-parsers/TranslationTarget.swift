// SPDX-License-Identifier: Apache-2.0

import Foundation
import InternetAddresses
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
                _ = translation.translateIncoming(stored, now: time)
            } else {
                translation.translateOutgoing(stored, now: time)?.undo()
                let after = UnsafeRawBufferPointer(start: stored.bytes, count: frame.count)
                require(after.elementsEqual(frame), "a frame of the host's is not what it was")
            }
        }
        require(translation.mappings.count <= PortMappings.limit, "\(translation.mappings.count) mappings")
    }

    /// Frames to and from a host without IPv4, in the same form.
    static let nat64 = FuzzTarget("nat64", seeds: [frames64.flatMap { $0 }]) { bytes in
        guard let address = IPAddress("10.0.2.100"), var translation = FamilyTranslation(address) else { return }
        var rest = bytes[...]
        var isFromHost = true
        while rest.count > 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let frame = Array(rest.dropFirst(2).prefix(length))
            rest = rest.dropFirst(2 + length)
            // What arrives may grow; what leaves is read only.
            let room = isFromHost ? StoredFrame.bytesOffset + frame.count : FramePool.largestBlock
            let block = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
            defer { block.deallocate() }
            memset(block, 0, StoredFrame.bytesOffset)
            let stored = StoredFrame(block)
            stored.bytes.copyMemory(from: frame, byteCount: frame.count)
            stored.describe(count: VirtioHeader.size + frame.count, input: 0)
            if isFromHost {
                let head = UnsafeRawBufferPointer(start: stored.header, count: VirtioHeader.size + frame.count)
                if case .translated(let bytes) = translation.translateOutgoing(head, stored.record.pointee.layout) {
                    let layout = FrameLayout(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(VirtioHeader.size)))
                    require(!layout.isIPv6 && layout.transport > 0, "what leaves is no packet of IPv4")
                }
            } else if translation.translateIncoming(stored) {
                require(stored.record.pointee.length <= StoredFrame.frameCapacity, "a frame that is too long")
            }
            isFromHost.toggle()
        }
    }

    /// A query for an address of IPv6, its answer from outside, an echo, and an error that quotes it.
    private static let frames64: [[UInt8]] = {
        let (own, other): ([UInt8], [UInt8]) = ([10, 0, 2, 100], [192, 0, 2, 1])
        let addresses =
            [0xFD] + [UInt8](repeating: 0, count: 15) + [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + other
        func inside(_ transport: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0x60, 0, 0, 0, 0, UInt8(body.count), transport, 64] + addresses + body
        }
        let name: [UInt8] = [1, 97, 0, 0, 28, 0, 1]
        let query = [0x9C, 0x40, 0, 53, 0, 27, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name
        let record: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 9]
        let answered =
            [0, 53, 0x9C, 0x40, 0, 43, 0, 0, 0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 97, 0, 0, 1, 0, 1] + record
        let error = packet(
            1,
            other,
            own,
            [3, 3, 0, 0, 0, 0, 0, 0] + packet(17, own, other, [0x9C, 0x40, 0, 53, 0, 9, 0, 0, 1])
        )
        let echo: [UInt8] = [128, 0, 0, 0, 0, 7, 0, 1]
        return [
            (inside(17, query), 0x86DD), (packet(17, other, own, answered), 0x0800), (inside(58, echo), 0x86DD),
            (error, 0x0800),
        ].map { packet, type in
            let frame = [UInt8](repeating: 2, count: 12) + [UInt8(type >> 8), UInt8(type & 0xFF)] + packet
            return [UInt8(frame.count >> 8), UInt8(truncatingIfNeeded: frame.count)] + frame
        }
    }()

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
