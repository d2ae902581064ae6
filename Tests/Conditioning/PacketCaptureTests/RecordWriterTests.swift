// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc
import LinkProfiles
import TestKit
import Testing

@testable import PacketCapture
@testable import PacketPump

/// What the pump has recorded, as a file.
@Suite struct RecordWriterTests {
    /// The time between two remarks.
    private static let pause: UInt32 = 101_000

    private let recorder: PacketRecorder
    private let file: UnsafeMutablePointer<FILE>
    private var writer: RecordWriter

    init() throws {
        recorder = try #require(PacketRecorder(capacity: 1 << 20))
        file = try #require(tmpfile())
        writer = RecordWriter(CaptureOutput(descriptor: fileno(file)), nil)
        writer.devices = [RecordedDevice(recorder, "lo", [], snapLength: nil)]
    }

    /// Whoever reads while the capture is written knows until when it is complete; only at its end comes what ends it.
    @Test mutating func tellsUntilWhenItIsComplete() throws {
        let slow = recorder.arrive(at: 1000, pieces: 1, .downlink)
        decide(recorder.arrive(at: 2000, pieces: 1, .uplink), .uplink, arrival: 2000, departure: 2500)
        decide(recorder.arrive(at: 3000, pieces: 1, .downlink), .downlink, arrival: 3000, departure: 90_000)
        // Undecided, then known but not yet delivered, then delivered.
        write(until: 4000)
        decide(slow, .downlink, arrival: 1000, departure: 50_000)
        write(until: 10_000)
        write(until: 60_000)
        decide(recorder.arrive(at: 70_000, pieces: 1, .uplink), .uplink, arrival: 70_000, departure: 80_000)
        write(until: 100_000)
        for _ in 0..<3 { write(until: 200_000) }
        #expect(writer.finish() == nil)
        let records = try records()
        let remarks = records.indices.filter { records[$0].completeUntil != nil }
        for index in remarks {
            let later = records[index...].compactMap(\.sent)
            #expect(later.allSatisfy { $0 >= records[index].completeUntil ?? .max })
        }
        let packets = records.compactMap(\.sent)
        let times = remarks.compactMap { records[$0].completeUntil }
        #expect(packets.count == 4 && times == times.sorted())
        // In the end it is complete beyond the last packet, and then there is nothing to tell.
        #expect(times.last ?? 0 > packets.max() ?? .max && remarks.count <= 6)
        // Both lanes end after that.
        #expect(records.suffix(2).allSatisfy { $0.isEnd } && records.count(where: \.isEnd) == 2)
    }

    @Test mutating func tellsNothingOfAnIdleLink() throws {
        decide(recorder.arrive(at: 1000, pieces: 1, .uplink), .uplink, arrival: 1000, departure: 2500)
        for number in 1...6 { write(until: Int64(number) * 10_000) }
        #expect(try records().count { $0.completeUntil != nil } == 2)
    }

    /// What cannot be split stands for all of its packets.
    @Test mutating func tellsHowManyPacketsASuperPacketIs() throws {
        decide(recorder.arrive(at: 1000, pieces: 5, .uplink), .uplink, arrival: 1000, departure: 2500, pieces: 5)
        write(until: 10_000)
        #expect(writer.finish() == nil)
        let fates = try records().compactMap(\.fate)
        #expect(fates.map(\.packets) == [5])
    }

    /// In the order of the file, whatever is decided first; conditions that applied to nothing are not told.
    @Test mutating func tellsWhereOtherConditionsBegin() throws {
        let old = recorder.arrive(at: 1000, pieces: 1, .uplink)
        recorder.change(to: "Nobody Saw", at: 1500)
        recorder.change(to: "Black Hole", at: 2000)
        let slow = recorder.arrive(at: 3000, pieces: 1, .uplink)
        let fast = recorder.arrive(at: 4000, pieces: 1, .uplink)
        decide(fast, .uplink, arrival: 4000, departure: 5000)
        decide(old, .uplink, arrival: 1000, departure: 6000)
        decide(slow, .uplink, arrival: 3000, departure: 7000)
        recorder.change(to: "LTE", at: 8000)
        decide(recorder.arrive(at: 9000, pieces: 5, .downlink), .downlink, arrival: 9000, departure: 9500, pieces: 5)
        write(until: 100_000)
        #expect(writer.finish() == nil)
        let names = try records().compactMap(\.comments).map { $0.compactMap(ConditionsNote.profile(inComment:)) }
        #expect(names == [[], ["Black Hole"], [], ["LTE"]])
    }

    /// Of a lane that others use, from its first packet in the file; the next conditions have a comment of their own.
    @Test mutating func tellsWhatDecidesAboutALane() throws {
        recorder.describe(.uplink, ["codel queue"], seed: 5, start: 400, at: 500)
        recorder.describe(.downlink, [], seed: 5, start: 400, at: 500)
        let old = recorder.arrive(at: 1000, pieces: 1, .uplink)
        recorder.describe(.uplink, ["shared with a film of 8 Mbit/s", "pie queue"], seed: 6, start: 1400, at: 1500)
        recorder.describe(.downlink, ["cake queue"], seed: .max, start: 1400, at: 1500)
        decide(recorder.arrive(at: 3000, pieces: 1, .downlink), .downlink, arrival: 3000, departure: 4000)
        decide(old, .uplink, arrival: 1000, departure: 6000)
        recorder.describe(.downlink, [], seed: 5, start: 7000, at: 7500)
        write(until: 100_000)
        #expect(writer.finish() == nil)
        let notes = try interfaces().reduce(into: [:]) { $0[$1.description] = $1.comment.flatMap(LaneNote.init) }
        let origin = try #require(notes["uplink of lo"]).start - 400
        // The clock of the run is that of the day.
        #expect(origin > 1_500_000_000_000_000_000)
        #expect(notes["uplink of lo"] == LaneNote(["codel queue"], seed: 5, start: origin + 400))
        #expect(notes["downlink of lo"] == LaneNote(["cake queue"], seed: .max, start: origin + 1400))
    }

    @Test mutating func tellsNothingOfOtherLanes() throws {
        recorder.describe(.uplink, [], seed: 5, start: 400, at: 500)
        decide(recorder.arrive(at: 1000, pieces: 1, .uplink), .uplink, arrival: 1000, departure: 6000)
        write(until: 100_000)
        #expect(writer.finish() == nil)
        #expect(try interfaces().map(\.comment) == [nil])
    }

    private func interfaces() throws -> [CapturedInterface] {
        try records().compactMap { if case .interface(let interface) = $0 { interface } else { nil } }
    }

    private func decide(_ number: UInt64, _ lane: Lane, arrival: Int64, departure: Int64, pieces: Int = 1) {
        var packet = RecordedPacket(.packet, at: arrival, number: number, pieces: pieces)
        (packet.lane, packet.departure) = (lane, departure)
        packet.due = departure
        let bytes = [UInt8](repeating: 7, count: 60)
        bytes.withUnsafeBytes { recorder.add(packet, $0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    private mutating func write(until time: Int64) {
        writer.write(until: time)
        usleep(Self.pause)
    }

    private func records() throws -> [CaptureRecord] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(fileno(file), &bytes, bytes.count, 0)
        var reader = CaptureReader()
        reader.append(bytes.prefix(count))
        var records: [CaptureRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }
}

extension CaptureRecord {
    fileprivate var completeUntil: Int64? {
        if case .statistics(let statistics, _) = self { statistics.completeUntil } else { nil }
    }

    fileprivate var isEnd: Bool {
        if case .statistics(let statistics, _) = self { statistics.completeUntil == nil } else { false }
    }

    /// The comments of a packet.
    fileprivate var comments: [String]? {
        if case .packet(let packet) = self { packet.comments } else { nil }
    }

    /// What became of a packet.
    fileprivate var fate: PacketFate? {
        guard case .packet(let packet) = self else { return nil }
        return packet.comments.first.flatMap { PacketFate(comment: $0) }
    }

    /// When a packet was sent.
    fileprivate var sent: Int64? {
        guard case .packet(let packet) = self, let fate else { return nil }
        return packet.time - (fate.lane == .downlink ? fate.delayNanoseconds ?? 0 : 0)
    }
}
