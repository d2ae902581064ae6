// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkEmulation

/// Where the time of packets went on a link that others use too.
@Suite struct CompetitionTests {
    private static func competition(packets: Int, _ change: (inout Impairments) -> Void) -> Competition? {
        var impairments = Impairments()
        impairments.rate = BitRate(bitsPerSecond: 1_211_200)
        impairments.queue = .packets(1000)
        change(&impairments)
        var pipeline = LinkPipeline(LaneConditions(impairments), seed: 1, start: LinkTime(nanoseconds: 0))
        // A full-size packet takes 10 ms on the link.
        let arrivals = (0..<packets).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: Int64($0) * 1_000_000_000), frameBytes: 1514)
        }
        var delays = 0.0
        pipeline.simulate(arrivals) { delays += Double($0.due.nanoseconds - Int64($0.tag) * 1_000_000_000) / 1e9 }
        if let competition = pipeline.competition { #expect(abs(competition.delay - delays) < 1e-6) }
        return pipeline.competition
    }

    @Test func isNoneOnALinkThatNobodyElseUses() {
        #expect(Self.competition(packets: 3) { _ in } == nil)
        #expect(Self.competition(packets: 3) { $0.queueManagement = QueueManagement(.codel) } == nil)
    }

    @Test func isWholeWithoutAQueue() throws {
        let competition = try #require(
            Self.competition(packets: 3) {
                $0.delay = .milliseconds(20)
                var bulk = CompetingFlows(.bulk)
                bulk.start = .seconds(3600)
                $0.competing = [bulk]
            }
        )
        #expect(abs(competition.delay - 3 * 0.03) < 1e-9)
        #expect(competition.waited == 0 && competition.percentBehindOthers == 0)
    }

    @Test(arguments: QueueManagement.Discipline.allCases)
    func isMostlyOthersWhereTheyFillTheQueue(discipline: QueueManagement.Discipline) throws {
        let competition = try #require(
            Self.competition(packets: 60) {
                $0.competing = [CompetingFlows(.bulk)]
                $0.queueManagement = QueueManagement(discipline)
            }
        )
        #expect(competition.waited > 0)
        // One packet a second hardly waits for others of its own.
        #expect(competition.behindOthers <= competition.waited)
        #expect(competition.behindOthers > 0.95 * competition.waited)
        if discipline == .dropTail { #expect(competition.percentBehindOthers ?? 0 > 90) }
    }

    @Test func countsPacketsBehindTheirOwn() throws {
        var impairments = Impairments()
        impairments.rate = BitRate(bitsPerSecond: 1_211_200)
        var bulk = CompetingFlows(.bulk)
        bulk.start = .seconds(3600)
        impairments.competing = [bulk]
        var pipeline = LinkPipeline(LaneConditions(impairments), seed: 1, start: LinkTime(nanoseconds: 0))
        let arrivals = (0..<3).map { _ in LinkPipeline.Arrival(time: LinkTime(nanoseconds: 5), frameBytes: 1514) }
        pipeline.simulate(arrivals) { _ in }
        let competition = try #require(pipeline.competition)
        // The second waits for 10 ms, and the third for 20 ms.
        #expect(abs(competition.waited - 0.03) < 1e-9 && abs(competition.delay - 0.06) < 1e-9)
        #expect(competition.behindOthers == 0)
    }
}
