// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct LinkPipelineTests {
    @Test func occupiesTheLinkForEachFrame() {
        var impairments = Impairments()
        impairments.rate = BitRate(bitsPerSecond: 32_000)
        impairments.delay = .milliseconds(100)
        var pipeline = LinkPipeline(LaneConditions(impairments), seed: 1, start: LinkTime(nanoseconds: 0))
        #expect(pipeline.accept(arrival: LinkTime(nanoseconds: 0), frameBytes: 98, tag: 7) == .admitted(copies: 1))
        #expect(pipeline.accept(arrival: LinkTime(nanoseconds: 0), frameBytes: 98, tag: 8) == .admitted(copies: 1))
        #expect(pipeline.nextDeparture == LinkTime(nanoseconds: 124_500_000))
        let departures = [0, 1].map { _ in pipeline.popDeparture(upTo: LinkTime(nanoseconds: 1_000_000_000)) }
        #expect(departures.map { $0?.tag } == [7, 8])
        #expect(departures.map { $0?.due.nanoseconds } == [124_500_000, 149_000_000])
        #expect(pipeline.isEmpty)
    }

    /// After all packets are delivered, a later packet still has the model's times.
    @Test func letsNoTimePassAsItIsEmptied() {
        var pipeline = LinkPipeline(LaneConditions(Impairments()), seed: 1, start: LinkTime(nanoseconds: 0))
        var times: [Int64] = []
        for _ in 0..<2 {
            pipeline.simulate([.init(time: LinkTime(nanoseconds: 5), frameBytes: 60)]) {
                times.append($0.due.nanoseconds)
            }
        }
        #expect(times == [5, 5])
    }

    @Test func neverGoesBackInTime() {
        var pipeline = LinkPipeline(LaneConditions(Impairments()), seed: 1, start: LinkTime(nanoseconds: 1000))
        let due = [Int64(0), 5000, 3000].map { time in
            _ = pipeline.accept(arrival: LinkTime(nanoseconds: time), frameBytes: 60, tag: 0)
            return pipeline.popDeparture(upTo: LinkTime(nanoseconds: 6000))?.due.nanoseconds
        }
        #expect(due == [1000, 6000, 6000])
    }

    @Test func acceptsFiguresBeyondAllProfiles() {
        var impairments = Impairments()
        impairments.delay = .seconds(-5)
        impairments.rate = BitRate(bitsPerSecond: .max)
        impairments.overhead = Overhead(packet: 1, cell: 1, cellOverhead: 1_000_000_000)
        impairments.queue = .bytes(.max)
        for (frame, time) in [(-1, Int64.min), (0, 0), (.max, .max)] {
            for rate in [UInt64.max, 1] {
                impairments.rate = BitRate(bitsPerSecond: rate)
                var pipeline = LinkPipeline(LaneConditions(impairments), seed: .max, lane: .max, start: .never)
                let arrival = LinkTime(nanoseconds: time)
                #expect(pipeline.accept(arrival: arrival, frameBytes: frame, tag: .max) == .admitted(copies: 1))
                // So late, no packet is ever delivered.
                #expect(pipeline.popDeparture(upTo: LinkTime(nanoseconds: .max)) == nil)
                #expect(pipeline.held == 1)
            }
        }
    }
}
