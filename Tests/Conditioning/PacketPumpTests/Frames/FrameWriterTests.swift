// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import PacketPump

@Suite struct FrameWriterTests {
    static let frames: [TestFrame] = [false, true].flatMap { isIPv6 in
        [true, false].flatMap { isTCP in
            [0, 1].map { tags in
                TestFrame(
                    isIPv6: isIPv6,
                    isTCP: isTCP,
                    identification: 0xFFFE,
                    flags: 0x99,
                    tags: tags,
                    payload: TestFrame.pattern(10 * 1_448 + 17)
                )
            }
        }
    }

    @Test(arguments: frames) func cutsSuperPacketsIntoWirePackets(frame: TestFrame) {
        let stored = Stored(frame.bytes, frame.virtio(segmentSize: 1_448))
        let expected = frame.wirePackets(segmentSize: 1_448)
        #expect(stored.segments == expected.count)
        for (index, wire) in expected.enumerated() {
            let (header, bytes) = stored.written(index, 1)
            #expect(completed(bytes, frame) == wire)
            #expect(header == frame.headerOfOne)
            #expect(stored.countedBytes(index) == wire.count - 4 * frame.tags)
        }
        #expect(stored.wireBytes == expected.reduce(0) { $0 + $1.count - 4 * frame.tags })
    }

    @Test(arguments: frames) func writesNeighboursAsOneSuperPacket(frame: TestFrame) {
        let stored = Stored(frame.bytes, frame.virtio(segmentSize: 1_448))
        let all = frame.wirePackets(segmentSize: 1_448)
        for (first, count) in [(0, 3), (2, 5), (8, 3), (0, 10), (1, 10)] {
            let (header, bytes) = stored.written(first, count)
            // Split by the same rules, it must result in those wire packets.
            let again = Stored(bytes, header)
            #expect(again.segments == count)
            #expect(
                (0..<count).map { completed(again.written($0, 1).bytes, frame) } == Array(all[first..<first + count])
            )
            #expect(header.type & 0x80 == (frame.isTCP && first == 0 ? 0x80 : 0), "CWR is in the first only")
        }
    }

    @Test(arguments: frames) func leavesWholeFramesAsTheyCame(frame: TestFrame) {
        let header = frame.virtio(segmentSize: 1_448)
        let stored = Stored(frame.bytes, header)
        #expect(stored.written(0, 11).bytes == frame.bytes)
        #expect(stored.written(0, 11).header == header)
    }

    @Test(arguments: frames) func marksCongestionAndKeepsChecksumsRight(frame: TestFrame) {
        let stored = Stored(frame.bytes, frame.virtio(segmentSize: 1_448))
        for (first, count) in [(0, 11), (3, 1), (10, 1)] {
            let marked = stored.written(first, count, .init(isMarked: true)).bytes
            let plain = stored.written(first, count).bytes
            let found = layout(marked)
            #expect(found.congestion == 3)
            let network = frame.networkOffset
            if !frame.isIPv6 { #expect(naiveChecksum(Array(marked[network..<network + 20])) == 0) }
            #expect(marked.count == plain.count)
            #expect(marked[frame.transportOffset...] == plain[frame.transportOffset...])
        }
    }

    @Test(arguments: frames) func corruptsOneBitBehindACompleteChecksum(frame: TestFrame) {
        let stored = Stored(frame.bytes, frame.virtio(segmentSize: 1_448))
        var random = SeededGenerator(seed: 3)
        for index in 0..<11 {
            let right = completed(stored.written(index, 1).bytes, frame)
            let bit = UInt32.random(in: 0..<12_000, using: &random)
            let (header, wrong) = stored.written(index, 1, .init(flippedBit: bit))
            #expect(header == VirtioHeader(), "nothing is left to complete")
            let flipped = zip(right, wrong).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
            #expect(flipped == 1 && right.count == wrong.count)
            #expect(right[..<frame.payloadOffset] == wrong[..<frame.payloadOffset], "headers are whole")
        }
    }

    @Test func corruptsTheTransportHeaderOfPacketsWithoutPayload() {
        let frame = TestFrame()
        let stored = Stored(frame.bytes, frame.virtio())
        let wrong = stored.written(0, 1, .init(flippedBit: 77)).bytes
        let right = frame.finished
        #expect(zip(right, wrong).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1)
        #expect(right[..<frame.transportOffset] == wrong[..<frame.transportOffset])
    }

    @Test func takesForOnePacketWhatItCannotCut() {
        let frame = TestFrame(isTCP: false, payload: TestFrame.pattern(5_000))
        var header = frame.virtio(segmentSize: 1_000)
        header.type = VirtioHeader.Segmentation.udpFragments.rawValue
        #expect(Stored(frame.bytes, header).segments == 1)
        header.type = VirtioHeader.Segmentation.tcp4.rawValue
        #expect(Stored(frame.bytes, header).segments == 1)
        header = frame.virtio(segmentSize: 5_000)
        #expect(Stored(frame.bytes, header).segments == 1)
    }
}

extension TestFrame {
    /// The virtio-net header of one wire packet, whose checksum is incomplete.
    fileprivate var headerOfOne: VirtioHeader {
        var header = virtio()
        header.headerLength = UInt16(payloadOffset)
        return header
    }
}
