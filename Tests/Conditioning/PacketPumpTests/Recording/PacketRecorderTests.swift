// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketPump

/// The ring between a pump and the reader of its packets.
struct PacketRecorderTests {
    private func record(_ recorder: PacketRecorder, _ bytes: [UInt8], second: [UInt8] = [], at time: Int64 = 0) {
        let packet = RecordedPacket(arrival: time, due: time + 1, departure: time + 2, kind: .packet)
        bytes.withUnsafeBytes { first in second.withUnsafeBytes { recorder.add(packet, first, $0) } }
    }

    private func drain(_ recorder: PacketRecorder) -> [(bytes: [UInt8], length: Int, lost: Int)] {
        var found: [(bytes: [UInt8], length: Int, lost: Int)] = []
        recorder.drain { found.append((Array($1), Int($0.length), Int($0.lost))) }
        return found
    }

    @Test func givesOutWhatWasRecordedInOrder() throws {
        let recorder = try #require(PacketRecorder(capacity: 1 << 12))
        // Around the ring's end many times, with sizes that fit no multiple.
        var next: UInt8 = 0
        for round in 0..<500 {
            let sizes = [round % 7, round % 301, 700 - round]
            for size in sizes where size >= 0 {
                record(recorder, [UInt8](repeating: next, count: size), second: [next])
                next &+= 1
            }
            let found = drain(recorder)
            #expect(found.map(\.length) == sizes.filter { $0 >= 0 }.map { $0 + 1 })
            for (place, packet) in found.enumerated() {
                let value = next &- UInt8(found.count - place)
                #expect(packet.bytes.count == packet.length && packet.bytes.allSatisfy { $0 == value })
            }
        }
        #expect(recorder.lost == 0)
    }

    @Test func countsWhatThereIsNoRoomFor() throws {
        let recorder = try #require(PacketRecorder(capacity: 1 << 12))
        for _ in 0..<10 { record(recorder, [UInt8](repeating: 1, count: 1000)) }
        let first = drain(recorder)
        #expect((1..<10).contains(first.count) && first.allSatisfy { $0.lost == 0 })
        #expect(recorder.lost == 10 - first.count)
        record(recorder, [2])
        #expect(drain(recorder).map(\.lost) == [10 - first.count])
        record(recorder, [3])
        #expect(drain(recorder).map(\.lost) == [0])
    }

    @Test func keepsHeadersOnlyWhereThereIsTooMuch() throws {
        var limits = PacketRecorder.Limits()
        (limits.rate, limits.burst) = (1_000_000, 10_000)
        let recorder = try #require(PacketRecorder(limits))
        #expect(!recorder.isCrowded)
        for _ in 0..<20 { record(recorder, [UInt8](repeating: 0, count: 1000)) }
        var kept = drain(recorder).map(\.bytes.count)
        // A full frame must have room.
        #expect(kept == [Int](repeating: 1000, count: 9) + [Int](repeating: 128, count: 11))
        #expect(recorder.isCrowded)
        // 1 MB/s for 5 ms.
        for _ in 0..<8 { record(recorder, [UInt8](repeating: 0, count: 1000), at: 5_000_000) }
        kept = drain(recorder).map(\.bytes.count)
        #expect(kept == [Int](repeating: 1000, count: 5) + [Int](repeating: 128, count: 3))
    }

    @Test func cutsAcrossBothParts() throws {
        var limits = PacketRecorder.Limits()
        limits.snapLength = 4
        let recorder = try #require(PacketRecorder(limits))
        record(recorder, [1, 2, 3], second: [4, 5])
        record(recorder, [1, 2, 3, 4, 5], second: [6])
        let found = drain(recorder)
        #expect(found.map(\.bytes) == [[1, 2, 3, 4], [1, 2, 3, 4]] && found.map(\.length) == [5, 6])
    }

    @Test func numbersArrivals() throws {
        let recorder = try #require(PacketRecorder(capacity: 1 << 12))
        #expect([recorder.arrive(at: 1, pieces: 2, .uplink), recorder.arrive(at: 2, pieces: 1, .uplink)] == [1, 2])
        for _ in 0..<10 { record(recorder, [UInt8](repeating: 1, count: 1000)) }
        while recorder.arrive(at: 3, pieces: 1, .uplink) != 0 {}
        var found: [RecordedPacket] = []
        recorder.drain { packet, _ in found.append(packet) }
        #expect(found.prefix(2).map(\.kind) == [.arrival, .arrival] && found.prefix(2).map(\.pieces) == [2, 1])
        // What was lost has no number.
        #expect(
            recorder.arrive(at: 4, pieces: 1, .uplink)
                == UInt64(found.count { $0.kind == .arrival && $0.pieces == 1 } + 2)
        )
    }
}
