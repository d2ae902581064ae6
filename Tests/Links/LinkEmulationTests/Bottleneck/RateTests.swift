// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct RateTests {
    /// A burst of frames at once, with a buffer for them all; the times at which they have been sent.
    private static func burst(
        _ count: Int,
        bytes: Int = 1514,
        _ change: (inout Impairments) -> Void
    ) -> [Int64] {
        Run {
            change(&$0)
            $0.queue = .packets(10_000_000)
        }.with {
            $0.packets = count
            $0.gap = 0
            $0.frameBytes = bytes
        }.survivors.map(\.nanoseconds)
    }

    /// The n-th frame of a burst ends at n frames' time, rounded up once and not n times.
    @Test(arguments: [32_000, 33_333, 14_400, 1_000_003, 7_654_321_987, 32_000_000_000, 1] as [UInt64])
    func doesNotDrift(rate: UInt64) {
        let times = Self.burst(20_000, bytes: 1499) { $0.rate = BitRate(bitsPerSecond: rate) }
        for (index, time) in times.enumerated() {
            let work = Int128(index + 1) * 1499 * 8_000_000_000
            #expect(Int128(time) == (work + Int128(rate) - 1) / Int128(rate))
        }
        #expect(times.count == 20_000)
    }

    @Test func sendsEachFrameOnAnIdleLinkTooLong() {
        let run = Run {
            $0.delay = .milliseconds(100)
            $0.rate = BitRate(bitsPerSecond: 32_000)
        }.with {
            $0.gap = 1_000_000_000
            $0.frameBytes = 98
            $0.packets = 10
        }
        #expect(run.delays.allSatisfy { $0 == 124_500_000 })
    }

    /// Both ends of a round trip over Slow Net, as measured with netem's rate: 249 ms and 921 ms.
    @Test(arguments: [(98, 249.0), (1442, 921.0)])
    func agreesWithSlowNet(bytes: Int, roundTrip: Double) {
        let times = Self.burst(1, bytes: bytes) {
            $0.delay = .milliseconds(100)
            $0.rate = BitRate(bitsPerSecond: 32_000)
        }
        #expect(Double(2 * times[0]) / 1e6 == roundTrip)
    }

    @Test func countsOverheadAndCells() {
        // 98 + 8 bytes are three cells of 48 + 5 bytes.
        let times = Self.burst(2, bytes: 98) {
            $0.rate = BitRate(bitsPerSecond: 8_000_000)
            $0.overhead = Overhead(packet: 8, cell: 48, cellOverhead: 5)
        }
        #expect(times == [159_000, 318_000])
        let saved = Self.burst(1, bytes: 98) {
            $0.rate = BitRate(bitsPerSecond: 8_000_000)
            $0.overhead = Overhead(packet: -1000)
        }
        #expect(saved == [1000])
    }

    @Test func sendsAtOnceWithoutARate() {
        #expect(Self.burst(3) { _ in } == [0, 0, 0])
    }

    @Test func predictsTheNextDepartureExactly() {
        for hasRate in [false, true] {
            var impairments = Impairments()
            impairments.delay = .milliseconds(3)
            if hasRate { impairments.rate = BitRate(bitsPerSecond: 3_333_333) }
            var pipeline = LinkPipeline(LaneConditions(impairments), seed: 1, start: LinkTime(nanoseconds: 5))
            #expect(pipeline.nextDeparture == nil)
            for tag in 0..<200 {
                let arrival = LinkTime(nanoseconds: Int64(tag) * 1_700_000)
                while let due = pipeline.nextDeparture, due <= arrival {
                    #expect(pipeline.popDeparture(upTo: LinkTime(nanoseconds: due.nanoseconds - 1)) == nil)
                    #expect(pipeline.popDeparture(upTo: due)?.due == due)
                }
                _ = pipeline.accept(arrival: arrival, frameBytes: 100 + tag * 7, tag: UInt32(tag))
            }
            while let due = pipeline.nextDeparture {
                #expect(pipeline.popDeparture(upTo: LinkTime(nanoseconds: due.nanoseconds - 1)) == nil)
                #expect(pipeline.popDeparture(upTo: due)?.due == due)
            }
            #expect(pipeline.isEmpty)
        }
    }
}
