// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketMirror

@Suite struct MirroredFrameTests {
    /// A virtio-net header: incomplete checksum, TCP over IPv4, headers of 54 bytes, segments of 1448, checksum of TCP
    /// from byte 34.
    private let offloads: [UInt8] = [1, 1, 54, 0, 0xA8, 5, 34, 0, 16, 0]
    private let addresses: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
    private let packet: [UInt8] = [8, 0] + Array(repeating: 0x45, count: 60)

    @Test func leavesAnEthernetFrameAsItIs() {
        #expect(frame(of: offloads + addresses + packet) == offloads + addresses + packet)
    }

    @Test func putsTheTagBehindTheAddresses() {
        let tagged: [UInt8] = [1, 1, 58, 0, 0xA8, 5, 38, 0, 16, 0] + addresses + [0x81, 0, 0x20, 7] + packet
        #expect(frame(of: offloads + addresses + packet, tag: (0x8100, 0x2007)) == tagged)
    }

    @Test func putsAHeaderBeforeABarePacket() {
        let header = [UInt8](repeating: 0, count: 12) + [0x86, 0xDD]
        let expected: [UInt8] = [1, 1, 68, 0, 0xA8, 5, 48, 0, 16, 0] + header + [0x60, 1, 2]
        #expect(frame(of: offloads + [0x60, 1, 2], protocol: 0x86DD) == expected)
    }

    @Test func movesNoFiguresThatMeanNothing() {
        let none = [UInt8](repeating: 0, count: 10)
        #expect(frame(of: none + addresses + packet, tag: (0x88A8, 1))?.prefix(10) == none[...])
    }

    @Test func refusesWhatIsNoFrame() {
        #expect(frame(of: []) == nil)
        #expect(frame(of: offloads) == nil)
        #expect(frame(of: offloads + addresses) == nil)
        #expect(frame(of: offloads + addresses, tag: (0x8100, 1)) == nil)
    }

    private func frame(
        of received: [UInt8],
        tag: (type: UInt16, value: UInt16)? = nil,
        protocol: UInt16? = nil
    ) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0xEE, count: MirroredFrame.room) + received
        return buffer.withUnsafeMutableBytes { bytes in
            MirroredFrame(bytes, count: received.count, tag: tag, protocol: `protocol`).map { Array($0.bytes) }
        }
    }
}
