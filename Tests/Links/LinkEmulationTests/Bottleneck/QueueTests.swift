// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct QueueTests {
    /// How many of a burst of 1000 frames at once survive.
    private static func survivors(
        bytes: Int = 1000,
        rate: UInt64 = 1_000_000,
        _ change: (inout Impairments) -> Void
    ) -> Int {
        run(bytes: bytes, rate: rate, change).survivors.count
    }

    private static func run(bytes: Int = 1000, rate: UInt64 = 1_000_000, _ change: (inout Impairments) -> Void) -> Run {
        Run {
            $0.rate = BitRate(bitsPerSecond: rate)
            change(&$0)
        }.with {
            $0.gap = 0
            $0.frameBytes = bytes
        }
    }

    @Test func holdsAsManyPacketsAsItSays() {
        #expect(Self.survivors { $0.queue = .packets(50) } == 50)
        #expect(Self.survivors(bytes: 60) { $0.queue = .packets(50) } == 50)
    }

    @Test func holdsAsManyBytesAsItSays() {
        #expect(Self.survivors { $0.queue = .bytes(64_000) } == 64)
        #expect(Self.survivors { $0.queue = .bytes(63_999) } == 63)
        #expect(Self.survivors(bytes: 100) { $0.queue = .bytes(64_000) } == 640)
    }

    @Test func holdsWhatTheRateSendsInItsTime() {
        // 37.5 kB.
        #expect(Self.survivors { $0.queue = .time(.milliseconds(300)) } == 37)
        #expect(Self.survivors(rate: 2_000_000) { $0.queue = .time(.milliseconds(300)) } == 75)
    }

    @Test func countsTheOverheadAmongTheBytes() {
        let survivors = Self.survivors {
            $0.queue = .bytes(64_000)
            $0.overhead = Overhead(packet: 24)
        }
        #expect(survivors == 62)
    }

    @Test func isSixteenFullFramesOr300MillisecondsByDefault() {
        #expect(Self.survivors(bytes: 1514, rate: 32_000) { _ in } == 16)
        #expect(Self.survivors(bytes: 1514, rate: 8_000_000) { _ in } == 300_000 / 1514)
    }

    @Test func sendsOnAnIdleLinkWhateverTheBuffer() {
        #expect(Self.survivors { $0.queue = .bytes(10) } == 1)
        #expect(Self.survivors { $0.queue = .time(.zero) } == 1)
    }

    @Test func dropsAtTheTailAndSaysSo() {
        let fates = Self.run { $0.queue = .packets(3) }.fates
        #expect(fates.filter { $0.drop == nil }.map(\.tag) == [0, 1, 2])
        #expect(fates.filter { $0.drop == .queueFull }.map(\.tag) == Array(3..<1000))
    }

    @Test func neverMarksWhatTheBufferDrops() {
        let run = Self.run {
            $0.queue = .packets(3)
            $0.ecn = true
            $0.loss = .random(.zero)
        }.with { $0.isECNCapable = true }
        #expect(run.survivors.count == 3)
        #expect(run.survivors.allSatisfy { !$0.isMarked })
    }

    /// Room is made at the very moment at which a frame has been sent.
    @Test func takesTheFrameThatComesAsAnotherLeaves() {
        // A frame each 8 ms, which is what one takes.
        for delay in [0, 100] {
            let run = Self.run {
                $0.queue = .packets(1)
                $0.delay = .milliseconds(delay)
            }.with { $0.gap = 8_000_000 }
            #expect(run.survivors.count == run.packets)
            #expect(run.with { $0.gap = 7_999_999 }.survivors.count == run.packets / 2)
        }
    }

    @Test func judgesTheBufferWhenThePacketReachesIt() {
        // One packet in ten overtakes the others by far; the buffer is then as full as it is, not as it will be.
        let run = Run {
            $0.rate = BitRate(bitsPerSecond: 1_000_000)
            $0.delay = .milliseconds(100)
            $0.queue = .packets(1)
            $0.reorder = Reorder(probability: .one, gap: 10)
        }.with {
            $0.gap = 1000
            $0.packets = 10
            $0.frameBytes = 1000
        }
        let fates = run.fates
        #expect(fates.filter { $0.drop == nil }.map(\.tag) == [9, 0])
        let expected = (1...8).map { Int64(100_000_000 + $0 * 1000) }
        #expect(fates.filter { $0.drop == .queueFull }.map(\.nanoseconds) == expected)
    }

    @Test func stopsTakingAtTheLimitOfMemory() {
        var impairments = Impairments()
        impairments.delay = .seconds(1)
        impairments.duplicate = .one
        let start = LinkTime(nanoseconds: 0)
        var pipeline = LinkPipeline(LaneConditions(impairments), seed: 1, start: start, maximumHeld: 5)
        let admissions = (0..<5).map { pipeline.accept(arrival: start, frameBytes: 60, tag: $0) }
        // The copy of the third packet has no room, the fourth packet has not either.
        let admitted: [Admission] = [.admitted(copies: 2), .admitted(copies: 2), .admitted(copies: 1)]
        #expect(admissions == admitted + [.dropped(.memory), .dropped(.memory)])
        #expect(pipeline.held == 5)
        _ = pipeline.popDeparture(upTo: LinkTime(nanoseconds: start.nanoseconds + 1_000_000_000))
        #expect(pipeline.accept(arrival: start, frameBytes: 60, tag: 9) == .admitted(copies: 1))
    }
}
