// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkPane

/// Asked beside measured.
struct LaneVerdictTests {
    private func verdict(_ downlink: String, _ lane: SimulatedLane, since start: Duration = .zero) throws -> LaneVerdict
    {
        let profile = try Profile(utf8: #"{"name": "A", "downlink": \#(downlink)}"#.utf8)
        return LaneVerdict(AskedFigures(try #require(profile.downlink)), lane.history, since: start)
    }

    private func lane(_ body: (inout SimulatedLane) -> Void) -> SimulatedLane {
        var lane = SimulatedLane()
        body(&lane)
        return lane
    }

    @Test func judgesARateWhilePacketsWait() throws {
        // 8 Mbit/s are 1000 frames of 1000 bytes in a second.
        let half = lane { $0.run(5, left: 500, held: 100) }
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, half).rate == .below)
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, half).words == "4 Mbit/s of 8 Mbit/s while packets waited")
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, lane { $0.run(5, left: 980, held: 100) }).rate == .asAsked)
        #expect(try verdict(#"{"rate": "4 Mbit/s"}"#, lane { $0.run(5, left: 600) }).rate == .above)
        // Nothing waits: the senders want no more.
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, lane { $0.run(5, left: 500) }).rate == nil)
    }

    /// Packets that are only delayed are held, too.
    @Test func doesNotTakeDelayedPacketsForWaitingOnes() throws {
        let link = #"{"rate": "8 Mbit/s", "delay": "100 ms"}"#
        #expect(try verdict(link, lane { $0.run(5, left: 500, held: 50) }).rate == nil)
        #expect(try verdict(link, lane { $0.run(5, left: 500, held: 200) }).rate == .below)
    }

    @Test func countsTheBytesThatTheLinkLayerAdds() throws {
        let link = #"{"rate": "8 Mbit/s", "overhead": {"packet": 250}}"#
        #expect(try verdict(link, lane { $0.run(5, left: 800, held: 100) }).rate == .asAsked)
    }

    /// tc has halved the rate: the verdict follows within five seconds.
    @Test func seesAChangeWithinFiveSeconds() throws {
        let lane = lane {
            $0.run(20, left: 1_000, held: 100)
            $0.run(3, left: 500, held: 100)
        }
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, lane).rate == .below)
    }

    @Test(arguments: [(10 as UInt64, LaneVerdict.Word.asAsked), (0, .below), (60, .above)])
    func judgesALossByItsStatistics(drops: UInt64, word: LaneVerdict.Word) throws {
        let lane = lane { $0.run(12, left: 1_000 - drops, drops: drops, modelDrops: drops) }
        #expect(try verdict(#"{"loss": "1 %"}"#, lane).loss == word)
    }

    /// The kernel's counter has the drops of a full queue, too.
    @Test func doesNotBlameTheLossModelForAFullQueue() throws {
        let lane = lane { $0.run(12, left: 900, drops: 100, held: 100) }
        #expect(try verdict(#"{"rate": "8 Mbit/s", "loss": "1 %"}"#, lane).loss == nil)
        #expect(try verdict(#"{"loss": "1 %"}"#, lane).loss == .above)
    }

    @Test(arguments: [
        (40, LaneVerdict.Word.asAsked), (55, .asAsked), (30, .below), (70, .above),
    ])
    func judgesADelayByItsRange(milliseconds: Int, word: LaneVerdict.Word) throws {
        let lane = lane { $0.run(3, left: 200, delay: .milliseconds(milliseconds)) }
        #expect(try verdict(#"{"delay": "40 ms", "jitter": "20 ms"}"#, lane).delay == word)
    }

    /// A queue may be full.
    @Test func allowsTheWaitInTheQueue() throws {
        let lane = lane { $0.run(3, left: 1_000, held: 200, delay: .milliseconds(240)) }
        let link = #"{"rate": "8 Mbit/s", "delay": "40 ms", "queue": "300 ms"}"#
        #expect(try verdict(link, lane).delay == .asAsked)
        #expect(try verdict(#"{"rate": "8 Mbit/s", "delay": "40 ms", "queue": "100 ms"}"#, lane).delay == .above)
    }

    @Test func callsALaneWithoutPacketsIdle() throws {
        let verdict = try verdict(#"{"rate": "8 Mbit/s", "loss": "1 %", "delay": "1 s"}"#, lane { $0.run(3) })
        #expect(verdict.rate == .idle && verdict.loss == .idle && verdict.delay == .idle && verdict.words == nil)
    }

    @Test func judgesNothingThatWasNotAsked() throws {
        let lane = lane { $0.run(12, left: 500, drops: 100, held: 100, delay: .seconds(1)) }
        let verdict = try verdict(#"{"duplicate": "1 %"}"#, lane)
        #expect(verdict.rate == nil && verdict.loss == nil && verdict.delay == nil)
    }

    /// What was measured before other figures were asked is not judged by them.
    @Test func judgesOnlyWhatWasMeasuredSinceTheFiguresWereAsked() throws {
        let lane = lane { $0.run(10, left: 500, held: 100) }
        let start = lane.sample.time
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, lane, since: start).rate == nil)
        #expect(try verdict(#"{"rate": "8 Mbit/s"}"#, lane, since: start - .seconds(3)).rate == .below)
    }
}
