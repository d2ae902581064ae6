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
}
