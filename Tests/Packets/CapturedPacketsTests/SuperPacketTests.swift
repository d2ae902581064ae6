// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CapturedPackets

/// Super-packets, as a network card splits them.
@Suite struct SuperPacketTests {
    private static let ethernet: [UInt8] = Array(repeating: 2, count: 12) + [8, 0]

    /// A segment of 3,000 bytes whose payload is counted up, with FIN, PSH and CWR.
    private static let tcp: [UInt8] = {
        let segment: [UInt8] = [0, 1, 0, 2, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 1, 0x50, 0x99, 1, 0, 0, 0, 0, 0]
        let payload = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
        let length = 40 + payload.count
        return ethernet + [0x45, 0, UInt8(length >> 8), UInt8(length & 255), 0xFF, 0xFF, 0x40, 0, 64, 6, 0, 0]
            + [10, 0, 0, 1, 10, 0, 0, 2] + segment + payload
    }()

    private typealias Part = (headers: PacketHeaders, length: Int, bytes: [UInt8])

    private func parts(_ bytes: [UInt8], length: Int? = nil, size: Int) -> [Part] {
        var parts: [Part] = []
        SuperPacket.forEachWirePacket(of: bytes, length: length ?? bytes.count, segmentSize: size, .ethernet) {
            let bytes = copy $0
            parts.append((PacketHeaders(bytes, .ethernet, length: $1), $1, bytes))
        }
        return parts
    }

    @Test func isSplitWithTheRightNumbersAndFlags() throws {
        let parts = parts(Self.tcp, size: 1448)
        #expect(parts.map(\.length) == [1502, 1502, 158])
        #expect(parts.map { $0.headers.payloadLength } == [1448, 1448, 104])
        #expect(parts.map { $0.headers.ip?.identification } == [0xFFFF, 0, 1])
        let segments = parts.compactMap { part -> TCPHeader? in
            if case .tcp(let header) = part.headers.transport { header } else { nil }
        }
        #expect(segments.map(\.sequence.number) == [0xFFFF_FF00, 0xFFFF_FF00 &+ 1448, 0xFFFF_FF00 &+ 2896])
        let first: TCPHeader.Flags = [.acknowledgment, .congestionReduced]
        #expect(segments.map(\.flags) == [first, [.acknowledgment], [.acknowledgment, .push, .fin]])
        #expect(parts.flatMap { Array($0.bytes[$0.headers.payload]) } == Array(Self.tcp.suffix(3000)))
    }

    @Test func keepsItsLengthsWhereItWasCut() {
        let parts = parts(Array(Self.tcp.prefix(128)), length: Self.tcp.count, size: 1448)
        #expect(parts.map(\.length) == [1502, 1502, 158])
        #expect(parts.map(\.bytes.count) == [128, 54, 54])
    }

    @Test func isLeftAloneWhereItIsNone() {
        #expect(parts(Self.tcp, size: 0).count == 1)
        #expect(parts(Self.tcp, size: 5000).count == 1)
        #expect(parts(Array(Self.tcp.prefix(40)), length: Self.tcp.count, size: 1448).count == 1)
    }
}
