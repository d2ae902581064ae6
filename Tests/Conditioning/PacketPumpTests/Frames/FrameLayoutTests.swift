// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import PacketPump

@Suite struct FrameLayoutTests {
    @Test(arguments: [false, true], [0, 1, 2])
    func findsThePartsOfTCPAndUDP(isIPv6: Bool, tags: Int) {
        for isTCP in [true, false] {
            let frame = TestFrame(isIPv6: isIPv6, isTCP: isTCP, tags: tags, payload: TestFrame.pattern(100))
            let found = layout(frame.bytes + [0, 0, 0])
            #expect(found.kind == (isTCP ? .tcp : .udp))
            #expect(found.isIPv6 == isIPv6)
            #expect(Int(found.network) == frame.networkOffset)
            #expect(Int(found.transport) == frame.transportOffset)
            #expect(Int(found.payload) == frame.payloadOffset)
            #expect(found.sourcePort == 40_000 && found.destinationPort == 80)
            #expect(found.congestion == 2)
            #expect(found.end == frame.bytes.count, "padding does not count")
            #expect(found.countedBytes == frame.bytes.count - 4 * tags, "neither do tags")
        }
    }

    @Test func followsExtensionHeaders() {
        let plain = TestFrame(isIPv6: true, isTCP: false, payload: [1, 2, 3]).bytes
        // Hop-by-hop options of 8 bytes, destination options of 16, AH of 16 (two less, in fours: 2).
        let chain: [UInt8] =
            [60, 0, 1, 4, 0, 0, 0, 0] + [51, 1] + [UInt8](repeating: 0, count: 14)
            + [17, 2] + [UInt8](repeating: 0, count: 14)
        var bytes = Array(plain[..<54]) + chain + plain[54...]
        bytes[20] = 0
        bytes.replaceSubrange(18..<20, with: big(bytes.count - 54, 2))
        let found = layout(bytes)
        #expect(found.kind == .udp && found.destinationPort == 80)
        #expect(Int(found.transport) == 54 + chain.count)
    }

    @Test func knowsFragments() {
        var bytes = TestFrame(isTCP: false, payload: TestFrame.pattern(64)).bytes
        bytes[20] = 0x20
        #expect(layout(bytes).fragment == .first && layout(bytes).destinationPort == 80)
        bytes[21] = 8
        #expect(layout(bytes).fragment == .later && layout(bytes).transport == 0)
        #expect(layout(bytes).identification == 0x1234)

        let plain = TestFrame(isIPv6: true, isTCP: false, payload: TestFrame.pattern(64)).bytes
        func fragment(_ field: Int) -> FrameLayout {
            var bytes = Array(plain[..<54]) + [17, 0] + big(field, 2) + big(0xABCD_EF01, 4) + plain[54...]
            bytes[20] = 44
            bytes.replaceSubrange(18..<20, with: big(bytes.count - 54, 2))
            return layout(bytes)
        }
        #expect(fragment(0x0001).fragment == .first && fragment(0x0001).destinationPort == 80)
        #expect(fragment(0x0008).fragment == .later && fragment(0x0008).identification == 0xABCD_EF01)
        #expect(fragment(0x0000).fragment == FrameLayout.Fragment.none, "an atomic fragment")
    }

    @Test func leavesLinkUpkeepAlone() {
        for (port, isUpkeep) in [(67, true), (68, true), (546, true), (547, true), (53, false), (69, false)] {
            #expect(layout(TestFrame(isTCP: false, destinationPort: port).bytes).isLinkUpkeep == isUpkeep)
            #expect(layout(TestFrame(isTCP: false, sourcePort: port).bytes).isLinkUpkeep == isUpkeep)
            #expect(!layout(TestFrame(isTCP: true, destinationPort: port).bytes).isLinkUpkeep)
        }
        for (type, isUpkeep) in [(132, false), (133, true), (135, true), (137, true), (138, false), (128, false)] {
            var bytes = TestFrame(isIPv6: true, isTCP: false, payload: [0]).bytes
            bytes[20] = 58
            bytes[54] = UInt8(type)
            #expect(layout(bytes).isLinkUpkeep == isUpkeep)
        }
        var arp = TestFrame(isTCP: false).bytes
        arp[13] = 6
        #expect(layout(arp).kind == .opaque)
    }

    @Test func takesLengthsThatDoNotFitForBroken() {
        let bytes = TestFrame(payload: TestFrame.pattern(50)).bytes
        for length in 0..<34 { #expect(layout(Array(bytes[..<length])).kind == .opaque) }
        for length in 34..<bytes.count {
            #expect(layout(Array(bytes[..<length])).kind == .opaque, "longer than the frame")
        }
        var short = bytes
        short.replaceSubrange(16..<18, with: big(19, 2))
        #expect(layout(short).kind == .opaque)
        short.replaceSubrange(16..<18, with: big(30, 2))
        #expect(layout(short).kind == .tcp && layout(short).transport == 0, "ports, but no whole header")
        short = bytes
        short[46] = 0xF0
        #expect(layout(short).transport > 0)
        short[46] = 0x40
        #expect(layout(short).transport == 0)
    }

    @Test func survivesAnything() {
        var random = SeededGenerator(seed: 20_261_121)
        let stack = UnsafeMutableRawPointer.allocate(byteCount: FramePool.largestBlock, alignment: 128)
        defer { stack.deallocate() }
        guard var table = FlowTable(capacity: 64, ephemeralPorts: 32_768...60_999) else { fatalError("no memory") }
        let writer = FrameWriter()
        var cut = 0
        for round in 0..<100_000 {
            var bytes = TestFrame.any(&random)
            TestFrame.damage(&bytes, &random)
            let frame = StoredFrame(stack)
            frame.header.storeBytes(of: VirtioHeader.any(of: bytes, &random), as: VirtioHeader.self)
            bytes.withUnsafeBytes {
                if let start = $0.baseAddress { frame.bytes.copyMemory(from: start, byteCount: $0.count) }
            }
            frame.describe(count: bytes.count + VirtioHeader.size, input: 0)
            let layout = frame.record.pointee.layout
            let segments = frame.record.pointee.segments
            #expect(layout.end <= bytes.count && Int(layout.payload) <= max(layout.end, 0))
            // Of exactly its size, so that an address sanitizer reports reads beyond it.
            bytes.withUnsafeBytes {
                guard let start = $0.baseAddress else { return }
                let flow = table.classify(start, FrameLayout($0), segments: segments, now: UInt32(round))
                for segment in 0..<segments { _ = flow.position.index(segment) }
            }
            let first = Int.random(in: 0..<segments, using: &random)
            let count = Int.random(in: 1...(segments - first), using: &random)
            if segments > 1 { cut += 1 }
            for changes in [
                FrameWriter.Changes(), .init(isMarked: true),
                .init(flippedBit: UInt32.random(in: 0...UInt32.max, using: &random)),
            ] where changes.flippedBit == nil || count == 1 {
                let (head, tail) = writer.pieces(of: FramePart(frame: frame, first: first, count: count), changes)
                #expect(head.count + tail.count <= bytes.count + VirtioHeader.size)
            }
        }
        #expect(cut > 5_000, "enough of them are super-packets")
    }
}
