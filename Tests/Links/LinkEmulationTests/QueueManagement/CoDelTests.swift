// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

/// RFC 8289: what CoDel does, seen from outside.
@Suite struct CoDelTests {
    /// Section 5.4: while the delay stays above the target, the time between drops is the interval divided by the square root
    /// of their number. Linux approximates the root by one step of Newton's method for each drop: it comes to half the
    /// interval after the second, and hardly differs after the fourth.
    @Test func dropsByTheControlLaw() throws {
        var load = QueueLoad(QueueManagement(.codel))
        // So much that drops alone do not end the congestion.
        (load.load, load.seconds, load.queue) = (3, 4, .packets(100_000))
        let drops = load.result.drops
        try #require(drops.count > 100)
        // The first comes when the delay has exceeded 5 ms for 100 ms.
        #expect(abs(Double(drops[0]) / 1e6 - 107.5) < 4, "\(drops[0])")
        for number in 1..<100 {
            let distance = Double(drops[number] - drops[number - 1]) / 1e6
            let expected = number == 2 ? 50 : 100 / Double(number).squareRoot()
            // Drops happen when a packet leaves, every 1.2 ms.
            #expect(abs(distance - expected) < (number < 5 ? 2.8 : 1.4), "drop \(number): \(distance) ms")
        }
    }

    @Test func keepsAShortQueueUntouched() {
        var load = QueueLoad(QueueManagement(.codel))
        load.load = 0.99
        #expect(load.result.drops.isEmpty)
    }

    /// A queue above the target for less than an interval is a burst.
    @Test func letsABurstPass() {
        var load = QueueLoad(QueueManagement(.codel))
        (load.load, load.rate) = (1.5, 10_000_000)
        // 48 ms of it take 73 ms to pass.
        var pipeline = LinkPipeline(load.conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        let arrivals = (0..<60).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: $0 * load.gap), frameBytes: 1_514)
        }
        var drops = 0
        pipeline.simulate(arrivals) { if $0.drop != nil { drops += 1 } }
        #expect(drops == 0)
    }

    @Test func marksInsteadWhereThePacketAllowsIt() {
        var load = QueueLoad(QueueManagement(.codel))
        load.ecn = .classic
        let marked = load.result
        load.ecn = .none
        #expect(marked.marks.count > 100 && load.result.marks.isEmpty)
        #expect(load.result.drops.count > 100)
    }

    @Test func takesItsParametersFromTheProfile() {
        var management = QueueManagement(.codel)
        management.target = .milliseconds(50)
        let late = QueueLoad(management).result.quantile(0.5)
        let usual = QueueLoad(QueueManagement(.codel)).result.quantile(0.5)
        #expect(late > usual + 30)
    }
}
