// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import Testing

@testable import DecryptedStreams

/// Records that wait for keys that do not come: many connections take no more room than a few.
@Suite struct WaitingRecordsTests {
    private let room = WaitingRecords()
    private let keys = KeyLog()

    /// A connection that has sent a ClientHello, and then `count` records that need keys.
    private func waiting(_ count: Int) -> TLSConnectionDecoder {
        let decoder = TLSConnectionDecoder(keys, room)
        let hello = [1, 0, 0, 38, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 0, 0]
        let record = [23, 3, 3, 0x40, 0] + [UInt8](repeating: 9, count: 1 << 14)
        let packet = ObservedPacket(number: 1, sent: Instant(nanoseconds: 0), delivered: nil)
        for bytes in [[22, 3, 1, 0, 42] + hello] + Array(repeating: record, count: count) {
            _ = decoder.read(StreamPiece(bytes: bytes[...], packet: packet), from: .client)
        }
        return decoder
    }

    @Test func makesThoseThatWaitLongestGiveUp() {
        let all = (0..<50).map { _ in waiting(60) }
        #expect(all[0].obstacle(of: .client) == .keysMissing && !all[0].isWaiting)
        #expect(all[49].obstacle(of: .client) == nil && all[49].isWaiting)
        #expect(all.count(where: \.isWaiting) > 30)
    }

    @Test func makesOneThatSendsMuchGiveUp() {
        #expect(waiting(60).isWaiting)
        #expect(waiting(70).obstacle(of: .client) == .keysMissing)
    }

    @Test func forgetsConnectionsThatHaveEnded() {
        for _ in 0..<5000 { _ = waiting(1) }
        #expect(room.listed <= WaitingRecords.minimumLimit)
        let last = (0..<50).map { _ in waiting(60) }
        #expect(last.count(where: \.isWaiting) > 30)
    }
}
