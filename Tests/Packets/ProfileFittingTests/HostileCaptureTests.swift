// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ProfileFormats
import Testing

@testable import ProfileFitting

/// Captures whose numbers no host has written.
@Suite struct HostileCaptureTests {
    /// A segment of TCP over IPv6, which claims as long a payload as the packet's length tells.
    private static func segment(_ number: UInt8, time: Int64, length: Int, options: [UInt8] = []) -> CapturedPacket {
        let addresses: [UInt8] = Array(repeating: 1, count: 16) + Array(repeating: 2, count: 16)
        let flags: UInt8 = options.isEmpty ? 0x10 : 0x02
        var bytes: [UInt8] =
            [0x60, 0, 0, 0, 0, 0, 6, 64] + addresses + [0x9C, 0x40, 0, 80, number, 0, 0, 0, 0, 0, 0, 0]
        bytes += [UInt8(5 + options.count / 4) << 4, flags, 255, 255, 0, 0, 0, 0] + options
        var packet = CapturedPacket(time: time, bytes: bytes)
        packet.direction = number.isMultiple(of: 2) ? .outbound : .inbound
        packet.length = max(length, bytes.count)
        return packet
    }

    private static func sampler(_ packets: [CapturedPacket]) -> CaptureSampler {
        var sampler = CaptureSampler()
        sampler.add(.section(application: nil))
        sampler.add(.interface(CapturedInterface("", .raw)))
        for packet in packets { sampler.add(.packet(packet)) }
        return sampler
    }

    /// Each of these would be four million segments, by the largest that its SYN claims.
    @Test func segmentsAreNotCountedBeyondTheMemory() throws {
        let syn = Self.segment(0, time: 0, length: 0, options: [2, 4, 0, 1])
        let others = (1...200).map { Self.segment(UInt8($0), time: Int64($0), length: 4 << 20) }
        let samples = try Self.sampler([syn] + others).finished()
        let counts = [samples.downlink, samples.uplink].compactMap { $0?.isLost.count }
        #expect(counts.count == 2 && counts.allSatisfy { $0 <= 200 * (4 << 20) / 48 && $0 <= Transfer.maximumSegments })
    }

    @Test func segmentsBeyondTheRoomAreLeftOut() {
        var transfer = Transfer()
        #expect(
            transfer.addSegments(Transfer.maximumSegments - 1, areLost: false).count == Transfer.maximumSegments - 1
        )
        let places = transfer.addSegments(1000, areLost: true)
        #expect(places.count == 1 && transfer.isFull)
        #expect(transfer.addSegments(1000, areLost: true).isEmpty)
        transfer.findSegments(places)
        transfer.loseSegment(Transfer.maximumSegments + 7)
        #expect(!transfer.isLost.contains(true))
    }

    @Test(arguments: [Int64.min, .max, .min + 1, -(1 << 62), 1 << 62])
    func timesBeyondAnyClockAreNotUsed(time: Int64) {
        var sampler = Self.sampler([Self.segment(0, time: time, length: 60)])
        #expect(throws: ImportError.self) { try sampler.finish() }
    }

    /// The answer is older than the request: neither a round trip below zero nor a loss.
    @Test func aClockThatWasSetBackTellsNoRoundTrip() throws {
        func echo(_ type: UInt8, _ number: UInt8, time: Int64) -> CapturedPacket {
            let ends: [UInt8] = type == 8 ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1]
            let ip: [UInt8] = [0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1, 0, 0] + ends
            return CapturedPacket(time: time, bytes: ip + [type, 0, 0, 0, 0, 7, 0, number])
        }
        let packets = (0..<40).flatMap { number -> [CapturedPacket] in
            let sent = Int64(number) * 1_000_000_000
            return [
                echo(8, UInt8(number), time: sent),
                echo(0, UInt8(number), time: sent + (number == 20 ? -5 : 5) * 1_000_000),
            ]
        }
        let samples = try Self.sampler(packets).finished()
        #expect(samples.probes.count == 39 && samples.probes.allSatisfy { $0.trip == 0.005 })
    }
}

extension CaptureSampler {
    fileprivate func finished() throws -> LinkSamples {
        var copy = self
        return try copy.finish()
    }
}
